(* P1 (arXiv 2510.13512), Theorem 5.2: "Under Assumptions 3.7 and 3.8, for delta in (0,1), eps > 0 and lambda <= Gamma_T^2/2 with
   probability at least 1 - delta, Algorithm 2 satisfies
       sum_(t=1)^T (J(pi_star) - J(pi^2_t)) = O( beta d_F e^(2B)/(2 alpha - 1)^2 log(N_F T/delta) )",
   with b_t = min{1, Gamma_T U_(F_t)} (eq. (13)), d_F the pair eluder dimension (Definition 3.5), alpha = e^eps/(1 + e^eps);
   Corollary 5.5: alpha = 1.

   World: one state, two responses, pi_ref even, F = {(B, 0), (0, B)}, r* = (B, 0), B > 1.
   linear_regret:   for beta >= 4/(B-1) + 8 and every T <= e^(beta(B-1))/4 the regret of T rounds of Algorithm 2 is at least (T-1) B/2
                    with probability at least (1 - p)/4 > 0, p the chance that a private label of two different responses is right;
                    whatever Gamma_T and lambda are.
   theorem_5_2_false: at every B > 1, alpha in (1/2, 1] and delta < (1 - p)/4, whatever the constant C behind O, for every beta from some
                    beta0 on there is a T at which the printed bound fails with probability above delta, for every
                    lambda >= B^2 e^(-beta(B+1)): a fixed lambda > 0 is as large, once beta is.
   has_estimate, has_dimension: what the two assume exists.
   Line by line: rbar is any minimiser of step 8, ties broken in any way; Gamma_T U is any number >= 0, at each history another, so that
       (13) may have F or F_t in it and Gamma_T any constant; policies, labels, estimates of all rounds are those of Algorithm 2, with
       alpha = 1 allowed (Corollary 5.5); J and the regret are (1) and (3) for pi^2, round 1 (pi_ref) included.  d_F is Definition 3.5 as
       it is printed, sup over a^2_(1:T) alone: the first responses are those drawn and pi^1 is the run's, so d_F depends on the run; with
       all of F for F_t it is no smaller, so that the bound that fails is the larger one; as printed (D_t, pi^1_(t+1) beside a^2_t) or with
       D_(t-1), pi^1_t.  It is at most 4 + log T on the runs that matter.
   What it does not say: nothing for B <= 1 (for 1/2 < B <= 1 Lemma C.4 fails: p1_lemma_C_4_false.v), for a fixed beta and T beyond
       e^(beta(B-1))/4, or for smaller lambda; nothing against a d_F whose supremum is over the first responses too, which is of the order
       of T here.  With a cap of 2B the bound holds for lambda = 4B^2 (docs/explanations/corrected_theorem_5_2.md, on paper). *)

Require Import Reals Lra Lia Psatz List.
Import ListNotations.
Open Scope R_scope.

Definition sigma (x : R) : R := / (1 + exp (- x)).

(* Rewards of two responses, pi_ref even; F = {reward B true, reward B false}, and r* = reward B true. *)
Definition reward (B : R) (best a : bool) : R := if Bool.eqb a best then B else 0.
Definition pi_ref (a : bool) : R := / 2.
Definition difference (r : bool -> R) (a1 a2 : bool) : R := r a1 - r a2.

(* Assumption 3.7 and (7): the private label z = +1 (true) or -1 (false) of a pair. *)
Definition label (B alpha : R) (a1 a2 z : bool) : R :=
  let y := sigma (difference (reward B true) a1 a2) in
  let p := alpha * y + (1 - alpha) * (1 - y) in if z then p else 1 - p.

(* D_t, newest first *)
Definition sample := (bool * bool * bool)%type.
Definition history := list sample.

(* Step 8: private least squares. *)
Definition value (z : bool) : R := if z then 1 else -1.
Fixpoint loss (B alpha : R) (best : bool) (D : history) : R := match D with
  | [] => 0
  | (a1, a2, z) :: D' =>
      ((2 * sigma (difference (reward B best) a1 a2) - 1) * (2 * alpha - 1) - value z) ^ 2 + loss B alpha best D'
  end.
Definition least_squares (B alpha : R) (estimate : history -> bool) : Prop :=
  forall D best, loss B alpha (estimate D) D <= loss B alpha best D.

(* Step 9, (13) and step 10.  After D: rbar = reward B (estimate D). *)
Definition tilt (beta : R) (pi f : bool -> R) (a : bool) : R :=
  pi a * exp (beta * f a) / (pi true * exp (beta * f true) + pi false * exp (beta * f false)).
Definition bonus (Gamma : R) (U : history -> bool -> R) (D : history) (a : bool) : R := Rmin 1 (Gamma * U D a).
Definition pi1 (B beta : R) (estimate : history -> bool) (D : history) : bool -> R := match D with
  | [] => pi_ref
  | _ => tilt beta pi_ref (reward B (estimate D))
  end.
Definition pi2 (B beta Gamma : R) (U : history -> bool -> R) (estimate : history -> bool) (D : history) : bool -> R :=
  match D with
  | [] => pi_ref
  | _ => tilt beta (pi1 B beta estimate D) (bonus Gamma U D)
  end.

(* (1), pi* (5), and the regret (3) of the rounds of D for pi^2. *)
Definition J (beta : R) (r pi : bool -> R) : R :=
  pi true * r true + pi false * r false - / beta * (pi true * ln (pi true / pi_ref true) + pi false * ln (pi false / pi_ref false)).
Definition pi_star (B beta : R) : bool -> R := tilt beta pi_ref (reward B true).
Fixpoint regret (B beta Gamma : R) (U : history -> bool -> R) (estimate : history -> bool) (D : history) : R := match D with
  | [] => 0
  | _ :: D' => J beta (reward B true) (pi_star B beta) - J beta (reward B true) (pi2 B beta Gamma U estimate D')
               + regret B beta Gamma U estimate D'
  end.

(* The mean of f over T more rounds of Algorithm 2 after D. *)
Definition over (pi : bool -> R) (f : bool -> R) : R := pi true * f true + pi false * f false.
Fixpoint mean (B alpha beta Gamma : R) (U : history -> bool -> R) (estimate : history -> bool) (T : nat) (D : history)
    (f : history -> R) : R := match T with
  | O => f D
  | S T' => over (pi1 B beta estimate D) (fun a1 => over (pi2 B beta Gamma U estimate D) (fun a2 =>
      over (label B alpha a1 a2) (fun z => mean B alpha beta Gamma U estimate T' ((a1, a2, z) :: D) f)))
  end.

(* The chance that the regret of T rounds is at least x. *)
Definition at_least (B alpha beta Gamma : R) (U : history -> bool -> R) (estimate : history -> bool) (T : nat) (x : R) : R :=
  mean B alpha beta Gamma U estimate T [] (fun D => if Rle_dec x (regret B beta Gamma U estimate D) then 1 else 0).

(* The chance that a private label of two different responses is right. *)
Definition p (B alpha : R) : R := alpha * sigma B + (1 - alpha) * (1 - sigma B).

Definition linear_regret : Prop :=
  forall (B alpha beta Gamma : R) (U : history -> bool -> R) (estimate : history -> bool) (T : nat),
  1 < B -> 1 / 2 < alpha <= 1 -> 4 / (B - 1) + 8 <= beta ->
  (1 <= T)%nat -> INR T <= exp (beta * (B - 1)) / 4 ->
  (forall D a, 0 <= Gamma * U D a) -> least_squares B alpha estimate ->
  0 < (1 - p B alpha) / 4 <= at_least B alpha beta Gamma U estimate T ((INR T - 1) * B / 2).

(* Definition 3.5 on the run D: second responses may be any, c; the first ones are those drawn, and the policies those of the run.
   With all of F in the place of F_t, whose members it has, so that dimensions are no smaller. *)
Definition g (B : R) (a : bool) : R := reward B true a - reward B false a.
Fixpoint pairs (c : list bool) (D : history) : list (bool * bool) := match c, D with
  | a2 :: c', (a1, _, _) :: D' => (a1, a2) :: pairs c' D'
  | _, _ => []
  end.
Definition seen (B : R) (l : list (bool * bool)) : R :=
  fold_right (fun a s => (g B (fst a) - g B (snd a)) ^ 2 + s) 0 l.
Definition uncertainty (B lambda : R) (l : list (bool * bool)) (pi : bool -> R) (a : bool) : R :=
  Rabs (g B a - over pi (g B)) / sqrt (lambda + seen B l).
Inductive index := Printed | Shifted.    (* U(a_t; D_t, pi^1_(t+1)) as printed, or U(a_t; D_(t-1), pi^1_t), the one that is used *)
Fixpoint eluder_sum (i : index) (B beta lambda : R) (estimate : history -> bool) (c : list bool) (D : history) : R :=
  match c, D with
  | a2 :: c', _ :: D' =>
      let U := match i with
        | Printed => uncertainty B lambda (pairs c D) (pi1 B beta estimate D) a2
        | Shifted => uncertainty B lambda (pairs c' D') (pi1 B beta estimate D') a2
        end in
      Rmin 1 (U ^ 2) + eluder_sum i B beta lambda estimate c' D'
  | _, _ => 0
  end.
Definition is_eluder_dimension (i : index) (B beta lambda : R) (estimate : history -> bool) (D : history) (d : R) : Prop :=
  (forall c, length c = length D -> eluder_sum i B beta lambda estimate c D <= d) /\
  (exists c, length c = length D /\ eluder_sum i B beta lambda estimate c D = d).

(* Theorem 5.2 with C behind its O, N_F = 2. *)
Definition printed_5_2 (C B alpha beta delta d : R) (T : nat) : R :=
  C * (beta * d * exp (2 * B) / (2 * alpha - 1) ^ 2 * ln (2 * INR T / delta)).

Definition theorem_5_2_false : Prop := forall (C B alpha delta : R),
  1 < B -> 1 / 2 < alpha <= 1 -> 0 < delta < (1 - p B alpha) / 4 ->
  exists beta0 : R, forall beta : R, beta0 <= beta -> exists T : nat, (1 <= T)%nat /\
  forall (i : index) (lambda Gamma : R) (U : history -> bool -> R) (estimate : history -> bool) (d : history -> R),
  B ^ 2 * exp (- (beta * (B + 1))) <= lambda -> (forall D a, 0 <= Gamma * U D a) -> least_squares B alpha estimate ->
  (forall D, is_eluder_dimension i B beta lambda estimate D (d D)) ->
  mean B alpha beta Gamma U estimate T [] (fun D =>
    if Rle_dec (regret B beta Gamma U estimate D) (printed_5_2 C B alpha beta delta (d D) T) then 1 else 0) < 1 - delta.

Definition has_estimate : Prop := forall B alpha : R, exists estimate, least_squares B alpha estimate.
Definition has_dimension : Prop := forall (i : index) (B beta lambda : R) (estimate : history -> bool) (D : history),
  exists d, is_eluder_dimension i B beta lambda estimate D d.

(* ---- proofs ---- *)

Lemma sigma_range x : 0 < sigma x < 1.
Proof.
  unfold sigma; generalize (exp_pos (- x)); intro H; split; [apply Rinv_0_lt_compat; lra|].
  rewrite <- Rinv_1; apply Rinv_lt_contravar; lra.
Qed.

Lemma sigma_opp x : sigma (- x) = 1 - sigma x.
Proof. unfold sigma; rewrite Ropp_involutive, exp_Ropp; generalize (exp_pos x); intro; field; lra. Qed.

Lemma sigma_half x : 0 < x -> 1 / 2 < sigma x.
Proof.
  intros H; unfold sigma; assert (exp (- x) < 1) by (rewrite <- exp_0; apply exp_increasing; lra).
  generalize (exp_pos (- x)); intro; assert (/ 2 < / (1 + exp (- x))) by (apply Rinv_lt_contravar; lra); lra.
Qed.

Lemma ln_above x : 0 < x -> 1 - / x <= ln x.
Proof.
  intros H; assert (E := exp_ineq1_le (ln (/ x))); rewrite exp_ln in E by now apply Rinv_0_lt_compat.
  rewrite ln_Rinv in E by exact H; lra.
Qed.

Lemma ln_below x y : 0 < x -> x <= y -> ln x <= ln y.
Proof. intros H [L|<-]; [left; now apply ln_increasing|right; reflexivity]. Qed.

(* A policy is given by q, the chance of the better response. *)
Lemma tilt_sum beta pi f : 0 < pi true -> 0 < pi false -> 0 < tilt beta pi f true /\ 0 < tilt beta pi f false /\
  tilt beta pi f true + tilt beta pi f false = 1.
Proof.
  intros P Q; unfold tilt; generalize (exp_pos (beta * f true)) (exp_pos (beta * f false)); intros X Y.
  assert (0 < pi true * exp (beta * f true)) by (apply Rmult_lt_0_compat; lra).
  assert (0 < pi false * exp (beta * f false)) by (apply Rmult_lt_0_compat; lra).
  split; [apply Rdiv_lt_0_compat; lra|split; [apply Rdiv_lt_0_compat; lra|field; lra]].
Qed.

Lemma tilt_small beta pi f g : 0 < pi true -> 0 < pi false -> 0 < g ->
  pi true * exp (beta * f true) <= g * (pi false * exp (beta * f false)) -> tilt beta pi f true <= g.
Proof.
  intros P Q G H; unfold tilt.
  assert (0 < pi true * exp (beta * f true)) by (apply Rmult_lt_0_compat; [lra|apply exp_pos]).
  assert (0 < pi false * exp (beta * f false)) by (apply Rmult_lt_0_compat; [lra|apply exp_pos]).
  apply Rmult_le_reg_r with (pi true * exp (beta * f true) + pi false * exp (beta * f false)); [lra|].
  unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; nra.
Qed.

Lemma ref_half a : pi_ref a = / 2. Proof. reflexivity. Qed.

Section World.
Variables (B alpha beta Gamma : R) (U : history -> bool -> R) (estimate : history -> bool).
Hypothesis HB : 1 < B.
Hypothesis Ha : 1 / 2 < alpha <= 1.
Hypothesis Hbeta : 4 / (B - 1) + 8 <= beta.
Hypothesis HU : forall D a, 0 <= Gamma * U D a.
Hypothesis LS : least_squares B alpha estimate.

Let PI1 := pi1 B beta estimate.
Let PI2 := pi2 B beta Gamma U estimate.
Let MEAN := mean B alpha beta Gamma U estimate.
Let REGRET := regret B beta Gamma U estimate.
Let eta := exp (- (beta * (B - 1))).

Lemma beta_8 : 8 <= beta /\ 4 <= beta * (B - 1).
Proof.
  assert (X : 0 < 4 / (B - 1)) by (apply Rdiv_lt_0_compat; lra); split; [lra|].
  apply Rle_trans with ((4 / (B - 1) + 8) * (B - 1)); [|apply Rmult_le_compat_r; lra].
  replace ((4 / (B - 1) + 8) * (B - 1)) with (4 + 8 * (B - 1)) by (field; lra); lra.
Qed.

Lemma eta_small : 0 < eta <= 1 / 5.
Proof.
  split; [apply exp_pos|unfold eta; rewrite exp_Ropp].
  destruct beta_8 as [_ X]; assert (E := exp_ineq1_le (beta * (B - 1))).
  replace (1 / 5) with (/ 5) by lra; apply Rinv_le_contravar; lra.
Qed.

Lemma pi1_law D : 0 < PI1 D true /\ 0 < PI1 D false /\ PI1 D true + PI1 D false = 1.
Proof.
  unfold PI1, pi1; destruct D; [unfold pi_ref; lra|apply tilt_sum; unfold pi_ref; lra].
Qed.

Lemma pi2_law D : 0 < PI2 D true /\ 0 < PI2 D false /\ PI2 D true + PI2 D false = 1.
Proof.
  unfold PI2, pi2; destruct D; [unfold pi_ref; lra|].
  destruct (pi1_law (s :: D)) as [X [Y _]]; now apply tilt_sum.
Qed.

Lemma label_law a1 a2 : 0 <= label B alpha a1 a2 true /\ 0 <= label B alpha a1 a2 false /\
  label B alpha a1 a2 true + label B alpha a1 a2 false = 1.
Proof. unfold label; assert (X := sigma_range (difference (reward B true) a1 a2)); repeat split; nra. Qed.

(* After a first wrong label, and pairs of the shunned response since, the estimate is wrong. *)
Inductive misled : history -> Prop :=
  | first : forall a z, z = negb a -> misled [(a, negb a, z)]
  | again : forall z D, misled D -> misled ((false, false, z) :: D).

Lemma misled_loss D : misled D -> loss B alpha false D < loss B alpha true D.
Proof.
  induction 1 as [a z ->|z D _ IH]; [|cbn [loss]; replace (difference (reward B true) false false) with (difference (reward B false) false false) by (unfold difference; ring); lra].
  assert (S := sigma_half B ltac:(lra)); assert (S' := sigma_range B).
  destruct a; cbn [loss negb]; unfold difference, reward, value; cbn [Bool.eqb];
    rewrite !Rminus_0_r; replace (0 - B) with (- B) by ring; rewrite sigma_opp; nra.
Qed.

Lemma misled_estimate D : misled D -> estimate D = false.
Proof.
  intros H; apply misled_loss in H; specialize (LS D false).
  destruct (estimate D); [exfalso; lra|reflexivity].
Qed.

Lemma misled_some D : misled D -> exists s D', D = s :: D'.
Proof. intros []; [exists (a, negb a, z), []|exists (false, false, z), D0]; reflexivity. Qed.

Lemma misled_policies D : misled D -> PI1 D true <= eta /\ PI2 D true <= eta.
Proof.
  intros H; assert (E := misled_estimate D H); destruct (misled_some D H) as [s [D' ->]].
  assert (P : forall a, PI1 (s :: D') a = tilt beta pi_ref (reward B false) a) by (intros a; unfold PI1, pi1; now rewrite E).
  assert (Hb := beta_8).
  assert (X : PI1 (s :: D') true * exp (beta * B) = PI1 (s :: D') false).
  { rewrite !P; unfold tilt, reward, pi_ref; cbn [Bool.eqb]; rewrite Rmult_0_r, exp_0.
    generalize (exp_pos (beta * B)); intros; field; lra. }
  destruct (pi1_law (s :: D')) as [Q1 [Q2 Q3]]; assert (G := exp_pos (beta * B)).
  assert (K : exp (- (beta * (B - 1))) * exp (beta * B) = exp beta) by (rewrite <- exp_plus; f_equal; ring).
  assert (K1 : 1 < exp beta) by (rewrite <- exp_0; apply exp_increasing; lra).
  assert (K2 := exp_pos (- (beta * (B - 1)))).
  split.
  - unfold eta; apply Rmult_le_reg_r with (exp (beta * B)); [exact G|]; rewrite X, K; lra.
  - unfold PI2, pi2; fold PI1; apply tilt_small; try assumption.
    unfold bonus; set (u := Rmin 1 (Gamma * U (s :: D') true)); set (w := Rmin 1 (Gamma * U (s :: D') false)).
    assert (u <= 1) by apply Rmin_l; assert (0 <= w) by (apply Rmin_glb; [lra|apply HU]).
    assert (exp (beta * u) <= exp beta) by (destruct (Rle_lt_or_eq_dec (beta * u) beta) as [L|L]; [nra|left; now apply exp_increasing|right; now rewrite L]).
    assert (1 <= exp (beta * w)) by (assert (Y := exp_ineq1_le (beta * w)); nra).
    apply Rle_trans with (PI1 (s :: D') true * exp beta); [apply Rmult_le_compat_l; lra|].
    assert (F : eta * PI1 (s :: D') false = PI1 (s :: D') true * exp beta) by (unfold eta; rewrite <- X, <- K; ring).
    rewrite <- Rmult_assoc, F; assert (0 < PI1 (s :: D') true * exp beta) by (apply Rmult_lt_0_compat; lra); nra.
Qed.

(* One round's regret, for the chance q of the better response. *)
Lemma J_star : J beta (reward B true) (pi_star B beta) = / beta * ln ((1 + exp (beta * B)) / 2).
Proof.
  assert (Hb := beta_8); assert (G := exp_pos (beta * B)); unfold J, pi_star, tilt, reward, pi_ref; cbn [Bool.eqb].
  rewrite Rmult_0_r, exp_0; set (e := exp (beta * B)) in *.
  replace (/ 2 * e / (/ 2 * e + / 2 * 1) / / 2) with (e * / ((1 + e) / 2)) by (field; lra).
  replace (/ 2 * 1 / (/ 2 * e + / 2 * 1) / / 2) with (/ ((1 + e) / 2)) by (field; lra).
  rewrite ln_mult by (try apply Rinv_0_lt_compat; lra); rewrite ln_Rinv by lra.
  replace (ln e) with (beta * B) by (unfold e; now rewrite ln_exp).
  field; lra.
Qed.

Lemma round_regret (pi : bool -> R) : 0 < pi true -> 0 < pi false -> pi true + pi false = 1 -> pi true <= eta ->
  B / 2 <= J beta (reward B true) (pi_star B beta) - J beta (reward B true) pi.
Proof.
  intros P Q S H; rewrite J_star; unfold J, reward, pi_ref; cbn [Bool.eqb].
  assert (Hb := beta_8); assert (He := eta_small); assert (G := exp_pos (beta * B)).
  assert (L1 : beta * B - 1 <= ln ((1 + exp (beta * B)) / 2)).
  { replace (beta * B - 1) with (ln (exp (beta * B - 1))) by apply ln_exp.
    apply ln_below; [apply exp_pos|].
    unfold Rminus; rewrite exp_plus; assert (E := exp_ineq1_le 1); rewrite exp_Ropp.
    assert (/ exp 1 <= / 2) by (apply Rinv_le_contravar; lra); nra. }
  assert (L2 := ln_above (pi true / / 2) ltac:(apply Rdiv_lt_0_compat; lra)).
  assert (L3 := ln_above (pi false / / 2) ltac:(apply Rdiv_lt_0_compat; lra)).
  assert (M2 : pi true - / 2 <= pi true * ln (pi true / / 2)).
  { replace (pi true - / 2) with (pi true * (1 - / (pi true / / 2))) by (field; lra); apply Rmult_le_compat_l; lra. }
  assert (M3 : pi false - / 2 <= pi false * ln (pi false / / 2)).
  { replace (pi false - / 2) with (pi false * (1 - / (pi false / / 2))) by (field; lra); apply Rmult_le_compat_l; lra. }
  set (l := ln ((1 + exp (beta * B)) / 2)) in *; set (k := pi true * ln (pi true / / 2) + pi false * ln (pi false / / 2)) in *.
  assert (I : 0 < / beta <= / 8) by (split; [apply Rinv_0_lt_compat; lra|apply Rinv_le_contravar; lra]).
  assert (N1 : B - / beta <= / beta * l).
  { replace (B - / beta) with (/ beta * (beta * B - 1)) by (field; lra); apply Rmult_le_compat_l; lra. }
  assert (N2 : 0 <= / beta * k) by (apply Rmult_le_pos; [lra|unfold k; lra]).
  rewrite Rmult_0_r; nra.
Qed.

Lemma first_regret : 0 <= J beta (reward B true) (pi_star B beta) - J beta (reward B true) (PI2 []).
Proof.
  rewrite J_star; unfold J, PI2, pi2, reward, pi_ref; cbn [Bool.eqb].
  replace (/ 2 / / 2) with 1 by field; rewrite ln_1.
  assert (Hb := beta_8); assert (G := exp_pos (beta * B)).
  assert (L : beta * B / 2 <= ln ((1 + exp (beta * B)) / 2)).
  { replace (beta * B / 2) with (ln (exp (beta * B / 2))) by apply ln_exp.
    apply ln_below; [apply exp_pos|].
    replace (exp (beta * B)) with (exp (beta * B / 2) * exp (beta * B / 2)) by (rewrite <- exp_plus; f_equal; field).
    generalize (exp (beta * B / 2)); intros x; generalize (pow2_ge_0 (x - 1)); lra. }
  assert (I : 0 < / beta) by (apply Rinv_0_lt_compat; lra).
  assert (N1 : B / 2 <= / beta * ln ((1 + exp (beta * B)) / 2)).
  { replace (B / 2) with (/ beta * (beta * B / 2)) by (field; lra); apply Rmult_le_compat_l; lra. }
  lra.
Qed.

Lemma over_pairs (pi pi' : bool -> R) (g : bool -> bool -> R) : over pi (fun a1 => over pi' (g a1)) =
  pi true * (pi' true * g true true + pi' false * g true false) + pi false * (pi' true * g false true + pi' false * g false false).
Proof. reflexivity. Qed.

Lemma over_nonneg (pi f : bool -> R) : 0 <= pi true -> 0 <= pi false -> (forall a, 0 <= f a) -> 0 <= over pi f.
Proof. intros P Q H; unfold over; generalize (H true) (H false); intros; nra. Qed.

Lemma mean_nonneg T D f : (forall D, 0 <= f D) -> 0 <= MEAN T D f.
Proof.
  intros H; unfold MEAN; revert D; induction T as [|T IH]; intros D; cbn [mean]; [apply H|].
  destruct (pi1_law D) as [P [Q _]]; destruct (pi2_law D) as [P' [Q' _]].
  apply over_nonneg; [now left..|intros a1]; apply over_nonneg; [now left..|intros a2].
  destruct (label_law a1 a2) as [P2 [Q2 _]]; apply over_nonneg; auto.
Qed.

Lemma over_label a1 a2 f x : (forall z, x <= f z) -> x <= over (label B alpha a1 a2) f.
Proof.
  intros H; destruct (label_law a1 a2) as [P [Q S]]; unfold over; generalize (H true) (H false); intros.
  replace x with (label B alpha a1 a2 true * x + label B alpha a1 a2 false * x) by (rewrite <- Rmult_plus_distr_r, S; ring); nra.
Qed.

(* Rounds that do not tell: k more of them. *)
Lemma stays (f : history -> R) (n k : nat) x D : (forall D, 0 <= f D) ->
  (forall D, misled D -> length D = n -> x <= REGRET D -> 1 <= f D) ->
  misled D -> (k + length D = n)%nat -> x <= REGRET D + INR k * (B / 2) -> INR k * eta <= 1 / 4 ->
  1 - 2 * (INR k * eta) <= MEAN k D f.
Proof.
  intros F0 F1; unfold MEAN; revert D; induction k as [|k IH]; intros D HD HN HX HK; cbn [mean].
  - simpl in HX; assert (1 <= f D) by (apply F1; [assumption|exact HN|lra]); simpl; lra.
  - rewrite S_INR in *; assert (E := eta_small); assert (Kp := pos_INR k).
    destruct (misled_policies D HD) as [X1 X2].
    destruct (pi1_law D) as [P [Q S1]]; destruct (pi2_law D) as [P' [Q' S2]].
    change (pi1 B beta estimate D) with (PI1 D); change (pi2 B beta Gamma U estimate D) with (PI2 D).
    set (rest := mean B alpha beta Gamma U estimate k).
    assert (Y : 1 - 2 * (INR k * eta) <= over (label B alpha false false) (fun z => rest ((false, false, z) :: D) f)).
    { apply over_label; intros z; apply IH; [now apply again|simpl; lia| |nra].
      change (REGRET ((false, false, z) :: D)) with (J beta (reward B true) (pi_star B beta) - J beta (reward B true) (PI2 D) + REGRET D).
      assert (R := round_regret (PI2 D) P' Q' S2 X2); lra. }
    assert (Z : forall a1 a2, 0 <= over (label B alpha a1 a2) (fun z => rest ((a1, a2, z) :: D) f)).
    { intros a1 a2; destruct (label_law a1 a2) as [L1 [L2 _]]; apply over_nonneg; auto; intros z; now apply mean_nonneg. }
    rewrite (over_pairs (PI1 D) (PI2 D) (fun a1 a2 => over (label B alpha a1 a2) (fun z => rest ((a1, a2, z) :: D) f))).
    generalize (Z true true) (Z true false) (Z false true); intros Z1 Z2 Z3.
    set (v := over (label B alpha false false) (fun z => rest ((false, false, z) :: D) f)) in *.
    set (m := PI1 D false * PI2 D false).
    assert (M : 1 - 2 * eta <= m) by (unfold m; nra).
    assert (V : 1 - 2 * ((INR k + 1) * eta) <= m * v).
    { assert (K0 : 0 <= INR k * eta) by (apply Rmult_le_pos; lra).
      assert (K1 : INR k * eta <= 1 / 4) by (rewrite Rmult_plus_distr_r in HK; lra).
      apply Rle_trans with ((1 - 2 * eta) * (1 - 2 * (INR k * eta))); [|apply Rmult_le_compat; [lra|lra|exact M|exact Y]].
      rewrite Rmult_plus_distr_r; assert (0 <= eta * (INR k * eta)) by (apply Rmult_le_pos; lra); lra. }
    assert (W : m * v = PI1 D false * (PI2 D false * v)) by (unfold m; ring).
    assert (A1 : 0 <= PI1 D true * (PI2 D true * over (label B alpha true true) (fun z => rest ((true, true, z) :: D) f) + PI2 D false * over (label B alpha true false) (fun z => rest ((true, false, z) :: D) f)))
      by (apply Rmult_le_pos; [lra|]; apply Rplus_le_le_0_compat; apply Rmult_le_pos; lra).
    assert (A2 : 0 <= PI1 D false * (PI2 D true * over (label B alpha false true) (fun z => rest ((false, true, z) :: D) f)))
      by (apply Rmult_le_pos; [lra|]; apply Rmult_le_pos; lra).
    unfold rest in *; lra.
Qed.

Lemma wrong_label : 0 < 1 - p B alpha /\ label B alpha true false false = 1 - p B alpha /\ label B alpha false true true = 1 - p B alpha.
Proof.
  assert (S := sigma_range B); assert (S' := sigma_half B ltac:(lra)); unfold p, label, difference, reward; cbn [Bool.eqb].
  rewrite Rminus_0_r; replace (0 - B) with (- B) by ring; rewrite sigma_opp; split; [nra|split; ring].
Qed.

Lemma whole (f : history -> R) k : (forall D, 0 <= f D) ->
  (forall D, misled D -> length D = S k -> INR k * (B / 2) <= REGRET D -> 1 <= f D) ->
  INR k * eta <= 1 / 4 -> (1 - p B alpha) / 4 <= MEAN (S k) [] f.
Proof.
  intros F0 F1 HK; unfold MEAN; cbn [mean]; destruct wrong_label as [W0 [W1 W2]].
  set (rest := fun a1 a2 z => mean B alpha beta Gamma U estimate k [(a1, a2, z)] f).
  assert (N : forall a1 a2 z, 0 <= rest a1 a2 z) by (intros; now apply mean_nonneg).
  assert (R : forall a, 1 / 2 <= rest a (negb a) (negb a)).
  { intros a; apply Rle_trans with (1 - 2 * (INR k * eta)); [lra|].
    apply stays with (S k) (INR k * (B / 2)); [exact F0|exact F1|now apply first|simpl; lia| |exact HK].
    assert (F := first_regret).
    change (REGRET [(a, negb a, negb a)]) with (J beta (reward B true) (pi_star B beta) - J beta (reward B true) (PI2 []) + 0).
    apply Rplus_le_reg_r with (- (INR k * (B / 2))); ring_simplify; lra. }
  assert (L : forall a, (1 - p B alpha) / 2 <= over (label B alpha a (negb a)) (rest a (negb a))).
  { intros a; destruct (label_law a (negb a)) as [L1 [L2 _]]; specialize (R a); unfold over.
    generalize (N a (negb a) true) (N a (negb a) false); intros N1 N2.
    assert (V : label B alpha a (negb a) (negb a) = 1 - p B alpha) by (destruct a; assumption).
    destruct a; cbn [negb] in *; rewrite V in *; nra. }
  assert (Z : forall a, 0 <= over (label B alpha a a) (rest a a)).
  { intros a; destruct (label_law a a) as [L1 [L2 _]]; apply over_nonneg; auto. }
  change ((1 - p B alpha) / 4 <= over pi_ref (fun a1 => over pi_ref (fun a2 => over (label B alpha a1 a2) (rest a1 a2)))).
  rewrite (over_pairs pi_ref pi_ref (fun a1 a2 => over (label B alpha a1 a2) (rest a1 a2))); unfold pi_ref.
  generalize (L true) (L false) (Z true) (Z false); cbn [negb]; unfold rest; lra.
Qed.

Lemma over_complement (pi f h : bool -> R) : pi true + pi false = 1 -> (forall a, f a + h a = 1) -> over pi f + over pi h = 1.
Proof.
  intros S H; unfold over; generalize (H true) (H false); intros X Y.
  replace (pi true * f true + pi false * f false + (pi true * h true + pi false * h false)) with (pi true * (f true + h true) + pi false * (f false + h false)) by ring.
  rewrite X, Y; lra.
Qed.

Lemma mean_complement T D (f h : history -> R) : (forall D, f D + h D = 1) -> MEAN T D f + MEAN T D h = 1.
Proof.
  intros H; unfold MEAN; revert D; induction T as [|T IH]; intros D; cbn [mean]; [apply H|].
  destruct (pi1_law D) as [_ [_ S1]]; destruct (pi2_law D) as [_ [_ S2]].
  apply over_complement; [exact S1|intros a1]; apply over_complement; [exact S2|intros a2].
  destruct (label_law a1 a2) as [_ [_ S3]]; apply over_complement; [exact S3|intros z; apply IH].
Qed.

(* The eluder dimension of such a run is of the order of log T. *)
Fixpoint G (m : nat) : R := match m with O => 0 | S m' => G m' + / INR (Nat.max 1 m') end.
Fixpoint count (l : list (bool * bool)) : nat := match l with
  | [] => O
  | a :: l' => if Bool.eqb (fst a) (snd a) then count l' else S (count l')
  end.

Lemma G_nonneg m : 0 <= G m.
Proof.
  induction m as [|m IH]; cbn [G]; [lra|]; assert (0 < / INR (Nat.max 1 m)) by (apply Rinv_0_lt_compat, lt_0_INR; lia); lra.
Qed.

Lemma G_log m : G (S (S m)) <= 2 + ln (INR (S m)).
Proof.
  induction m as [|m IH]; [simpl; rewrite ln_1; lra|].
  change (G (S (S (S m)))) with (G (S (S m)) + / INR (Nat.max 1 (S (S m)))).
  replace (Nat.max 1 (S (S m))) with (S (S m)) by lia.
  assert (P : 0 < INR (S m)) by (apply lt_0_INR; lia); assert (P' : 0 < INR (S (S m))) by (apply lt_0_INR; lia).
  assert (L := ln_above (INR (S (S m)) / INR (S m)) ltac:(apply Rdiv_lt_0_compat; assumption)).
  assert (Q : ln (INR (S (S m)) / INR (S m)) = ln (INR (S (S m))) - ln (INR (S m))).
  { unfold Rdiv; rewrite ln_mult, ln_Rinv; [ring|assumption|assumption|now apply Rinv_0_lt_compat]. }
  rewrite Q in L; replace (1 - / (INR (S (S m)) / INR (S m))) with (/ INR (S (S m))) in L; [lra|].
  rewrite (S_INR (S m)) in *; field; lra.
Qed.

Lemma G_below m T : (m <= T)%nat -> (1 <= T)%nat -> G m <= 2 + ln (INR T).
Proof.
  intros H H1; assert (T1 : 1 <= INR T) by (apply (le_INR 1); exact H1).
  assert (L : 0 <= ln (INR T)) by (rewrite <- ln_1; apply ln_below; lra).
  destruct m as [|[|m]]; [simpl; lra|simpl; lra|]; assert (X := G_log m).
  assert (ln (INR (S m)) <= ln (INR T)) by (apply ln_below; [apply lt_0_INR; lia|apply le_INR; lia]); lra.
Qed.

Lemma seen_count l : seen B l = 4 * B ^ 2 * INR (count l).
Proof.
  induction l as [|[a b] l IH]; [simpl; ring|unfold seen in *; cbn [fold_right count fst snd]; rewrite IH].
  destruct a, b; cbn [Bool.eqb]; rewrite ?S_INR; unfold g, reward; cbn [Bool.eqb]; ring.
Qed.

Lemma count_length c D : (count (pairs c D) <= length D)%nat.
Proof.
  revert D; induction c as [|b c IH]; intros [|[[a a'] z] D]; cbn [pairs count length]; try lia.
  specialize (IH D); destruct (Bool.eqb _ _); lia.
Qed.

Variable lambda : R.
Hypothesis Hlambda : B ^ 2 * exp (- (beta * (B + 1))) <= lambda.
Let e := 4 * exp (- (beta * (B - 1))).

Lemma lambda_pos : 0 < lambda.
Proof. apply Rlt_le_trans with (2 := Hlambda), Rmult_lt_0_compat; [apply pow_lt; lra|apply exp_pos]. Qed.

Lemma uncertainty_is l pi a : uncertainty B lambda l pi a ^ 2 = (g B a - over pi (g B)) ^ 2 / (lambda + 4 * B ^ 2 * INR (count l)).
Proof.
  assert (L := lambda_pos); assert (P : 0 <= 4 * B ^ 2 * INR (count l)) by (apply Rmult_le_pos; [nra|apply pos_INR]).
  unfold uncertainty; rewrite seen_count; set (x := g B a - over pi (g B)); set (y := lambda + 4 * B ^ 2 * INR (count l)).
  assert (S : 0 < sqrt y) by (apply sqrt_lt_R0; unfold y; lra).
  replace ((Rabs x / sqrt y) ^ 2) with (Rabs x ^ 2 / sqrt y ^ 2) by (field; lra).
  rewrite pow2_abs, pow2_sqrt by (unfold y; lra); reflexivity.
Qed.

Lemma shunned l D m : misled D -> (1 <= m)%nat -> (m <= count l)%nat -> Rmin 1 (uncertainty B lambda l (PI1 D) true ^ 2) <= / INR m.
Proof.
  intros HD Hm Hc; apply Rle_trans with (1 := Rmin_r _ _); rewrite uncertainty_is.
  destruct (pi1_law D) as [P [Q S]]; assert (L := lambda_pos).
  assert (N : (g B true - over (PI1 D) (g B)) ^ 2 <= 4 * B ^ 2).
  { unfold over, g, reward; cbn [Bool.eqb]; replace (B - 0 - (PI1 D true * (B - 0) + PI1 D false * (0 - B))) with (B * (2 * PI1 D false)) by (replace (PI1 D true) with (1 - PI1 D false) by lra; ring).
    rewrite Rpow_mult_distr; assert ((2 * PI1 D false) ^ 2 <= 4) by nra; assert (0 <= B ^ 2) by nra; nra. }
  assert (M : 1 <= INR m) by (apply (le_INR 1); exact Hm); assert (C := le_INR _ _ Hc).
  assert (B2 : 0 < 4 * B ^ 2) by nra.
  apply Rmult_le_reg_r with (lambda + 4 * B ^ 2 * INR (count l)); [nra|].
  unfold Rdiv; rewrite Rmult_assoc, Rinv_l, Rmult_1_r by nra; apply Rle_trans with (1 := N).
  apply Rmult_le_reg_r with (INR m); [lra|].
  replace (/ INR m * (lambda + 4 * B ^ 2 * INR (count l)) * INR m) with (lambda + 4 * B ^ 2 * INR (count l)) by (field; lra).
  assert (4 * B ^ 2 * INR m <= 4 * B ^ 2 * INR (count l)) by (apply Rmult_le_compat_l; lra); lra.
Qed.

Lemma favoured l D : misled D -> Rmin 1 (uncertainty B lambda l (PI1 D) false ^ 2) <= e.
Proof.
  intros HD; apply Rle_trans with (1 := Rmin_r _ _); rewrite uncertainty_is.
  assert (E := misled_estimate D HD); destruct (pi1_law D) as [P [Q S]]; assert (L := lambda_pos).
  assert (X : PI1 D true <= exp (- (beta * B))).
  { destruct (misled_some D HD) as [s [D' ->]]; unfold PI1, pi1; rewrite E; apply tilt_small; [unfold pi_ref; lra..|apply exp_pos|].
    unfold reward, pi_ref; cbn [Bool.eqb]; rewrite Rmult_0_r, exp_0.
    replace (exp (- (beta * B)) * (/ 2 * exp (beta * B))) with (/ 2 * exp (- (beta * B) + beta * B)) by (rewrite exp_plus; ring).
    replace (- (beta * B) + beta * B) with 0 by ring; rewrite exp_0; lra. }
  assert (N : (g B false - over (PI1 D) (g B)) ^ 2 <= 4 * B ^ 2 * exp (- (2 * (beta * B)))).
  { unfold over, g, reward; cbn [Bool.eqb]; replace (0 - B - (PI1 D true * (B - 0) + PI1 D false * (0 - B))) with (- (2 * B * PI1 D true)) by (replace (PI1 D false) with (1 - PI1 D true) by lra; ring).
    replace (exp (- (2 * (beta * B)))) with (exp (- (beta * B)) * exp (- (beta * B))) by (rewrite <- exp_plus; f_equal; ring).
    assert (PI1 D true * PI1 D true <= exp (- (beta * B)) * exp (- (beta * B))) by (apply Rmult_le_compat; lra).
    replace ((- (2 * B * PI1 D true)) ^ 2) with (4 * B ^ 2 * (PI1 D true * PI1 D true)) by ring; apply Rmult_le_compat_l; nra. }
  assert (C := pos_INR (count l)); assert (B2 : 0 < 4 * B ^ 2) by nra; assert (0 <= 4 * B ^ 2 * INR (count l)) by (apply Rmult_le_pos; lra).
  apply Rmult_le_reg_r with (lambda + 4 * B ^ 2 * INR (count l)); [lra|].
  unfold Rdiv; rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra; apply Rle_trans with (1 := N).
  assert (F : 4 * B ^ 2 * exp (- (2 * (beta * B))) = e * (B ^ 2 * exp (- (beta * (B + 1))))).
  { unfold e; replace (- (2 * (beta * B))) with (- (beta * (B - 1)) + - (beta * (B + 1))) by ring; rewrite exp_plus; ring. }
  rewrite F; assert (0 < e) by (unfold e; generalize (exp_pos (- (beta * (B - 1)))); lra); apply Rmult_le_compat_l; lra.
Qed.

Lemma eluder_small i D c : misled D -> length c = length D ->
  eluder_sum i B beta lambda estimate c D <= 1 + G (count (pairs c D)) + INR (length D) * e.
Proof.
  intros HD; revert c; assert (E : 0 < e) by (unfold e; generalize (exp_pos (- (beta * (B - 1)))); lra).
  induction HD as [a z Hz|z D HD IH]; intros c Hc.
  - destruct c as [|b [|]]; [discriminate Hc| |discriminate Hc]; cbn [eluder_sum].
    match goal with |- Rmin 1 ?x + 0 <= 1 + G ?m + _ => assert (X := Rmin_l 1 x); assert (Y := G_nonneg m) end.
    cbn [length]; change (INR 1) with 1; lra.
  - destruct c as [|b c]; [discriminate Hc|]; injection Hc as Hc; specialize (IH c Hc).
    cbn [eluder_sum length]; rewrite S_INR.
    destruct b.
    + assert (Y : G (count (pairs (true :: c) ((false, false, z) :: D))) = G (count (pairs c D)) + / INR (Nat.max 1 (count (pairs c D)))) by reflexivity.
      rewrite Y; set (m := count (pairs c D)) in *.
      match goal with |- Rmin 1 ?x + _ <= _ => assert (X : Rmin 1 x <= / INR (Nat.max 1 m)) end; [|lra].
      destruct i.
      * apply (shunned _ ((false, false, z) :: D)); [now apply again|lia|].
        change (Nat.max 1 m <= S m)%nat; lia.
      * destruct m as [|m'] eqn:M; [apply Rle_trans with (1 := Rmin_l _ _); simpl; lra|].
        apply (shunned _ D); [assumption|lia|unfold m in M; rewrite M; lia].
    + assert (Y : G (count (pairs (false :: c) ((false, false, z) :: D))) = G (count (pairs c D))) by reflexivity.
      rewrite Y; match goal with |- Rmin 1 ?x + _ <= _ => assert (X : Rmin 1 x <= e) end; [|lra].
      destruct i; [apply (favoured _ ((false, false, z) :: D)); now apply again|now apply (favoured _ D)].
Qed.

Lemma eluder_nonneg i c D : 0 <= eluder_sum i B beta lambda estimate c D.
Proof.
  revert D; induction c as [|b c IH]; intros [|s D]; cbn [eluder_sum]; try lra.
  specialize (IH D); match goal with |- 0 <= Rmin 1 ?x + _ => assert (X : 0 <= Rmin 1 x) end; [|lra].
  apply Rmin_glb; [lra|apply pow2_ge_0].
Qed.

Lemma dimension_small i D d : misled D -> INR (length D) <= exp (beta * (B - 1)) / 4 ->
  is_eluder_dimension i B beta lambda estimate D d -> 0 <= d <= 4 + ln (INR (length D)).
Proof.
  intros HD HT [_ [c [Hc <-]]]; split; [apply eluder_nonneg|]; apply Rle_trans with (1 := eluder_small i D c HD Hc).
  assert (L1 : (1 <= length D)%nat) by (destruct (misled_some D HD) as [s [D' ->]]; simpl; lia).
  assert (X := G_below _ _ (count_length c D) L1).
  assert (Y : INR (length D) * e <= 1).
  { unfold e; rewrite exp_Ropp; assert (Q := exp_pos (beta * (B - 1))); apply Rmult_le_reg_r with (exp (beta * (B - 1))); [exact Q|].
    replace (INR (length D) * (4 * / exp (beta * (B - 1))) * exp (beta * (B - 1))) with (4 * INR (length D)) by (field; lra); lra. }
  lra.
Qed.

End World.

Theorem linear_regret_holds : linear_regret.
Proof.
  intros B alpha beta Gamma U estimate T HB Ha Hb HT1 HT HU LS.
  destruct (wrong_label B alpha HB Ha) as [W0 _]; split; [lra|].
  destruct T as [|k]; [exfalso; lia|].
  assert (K : INR k * exp (- (beta * (B - 1))) <= 1 / 4).
  { rewrite S_INR in HT; rewrite exp_Ropp; assert (E := exp_pos (beta * (B - 1))).
    apply Rmult_le_reg_r with (exp (beta * (B - 1))); [exact E|].
    rewrite Rmult_assoc, Rinv_l by lra; lra. }
  unfold at_least; apply (whole B alpha beta Gamma U estimate HB Ha Hb HU LS); [| |exact K].
  - intros D; destruct (Rle_dec _ _); lra.
  - intros D _ _ X; destruct (Rle_dec _ _) as [_|N]; [lra|exfalso; apply N].
    rewrite S_INR; replace ((INR k + 1 - 1) * B / 2) with (INR k * (B / 2)) by field; exact X.
Qed.

Lemma natural_below y : 1 <= y -> exists T : nat, (1 <= T)%nat /\ INR T <= y < INR T + 1.
Proof.
  intros H; destruct (archimed y) as [U V].
  assert (Z : (2 <= up y)%Z) by (apply le_IZR; assert (IZR 1 < IZR (up y)) by lra; apply lt_IZR in H0; apply IZR_le; lia).
  exists (Z.to_nat (up y - 1)); split; [lia|].
  rewrite INR_IZR_INZ, Z2Nat.id by lia; rewrite minus_IZR; lra.
Qed.

Lemma exp_fourth x : 0 <= x -> x ^ 4 / 256 <= exp x.
Proof.
  intros H; replace (exp x) with (exp (x / 4) ^ 4).
  - assert (E := exp_ineq1_le (x / 4)); replace (x ^ 4 / 256) with ((x / 4) ^ 4) by field; apply pow_incr; lra.
  - replace x with (x / 4 + x / 4 + x / 4 + x / 4) at 2 by field; rewrite !exp_plus; ring.
Qed.

Theorem theorem_5_2_false_holds : theorem_5_2_false.
Proof.
  intros C B alpha delta HB Ha Hd.
  set (M := exp (2 * B) / (2 * alpha - 1) ^ 2 / (B - 1)); set (A := 4 + ln (2 / delta)).
  set (x0 := A + 2048 * (4 * (Rabs C * M) + 1)).
  assert (Sg := sigma_range B); assert (Sg' := sigma_half B ltac:(lra)).
  assert (D1 : delta < 1) by (unfold p in Hd; nra).
  assert (L0 : 0 < ln (2 / delta)).
  { rewrite <- ln_1; apply ln_increasing; [lra|]; apply Rmult_lt_reg_r with delta; [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra. }
  assert (HM : 0 < M) by (unfold M; repeat apply Rdiv_lt_0_compat; try apply exp_pos; try apply pow_lt; lra).
  assert (HC := Rabs_pos C); assert (HCM : 0 <= Rabs C * M) by (apply Rmult_le_pos; lra).
  exists (4 / (B - 1) + 8 + x0 / (B - 1)); intros beta Hbeta.
  assert (X1 : 0 < 4 / (B - 1)) by (apply Rdiv_lt_0_compat; lra).
  assert (X0 : 0 < x0 / (B - 1)) by (apply Rdiv_lt_0_compat; unfold x0, A; lra).
  assert (Hb : 4 / (B - 1) + 8 <= beta) by lra.
  set (x := beta * (B - 1)).
  assert (Hx : x0 <= x).
  { unfold x; replace x0 with (x0 / (B - 1) * (B - 1)) by (field; lra); apply Rmult_le_compat_r; lra. }
  assert (XA : A <= x) by (unfold x0 in Hx; lra).
  assert (X2 : 2048 * (4 * (Rabs C * M) + 1) <= x) by (unfold x0, A in Hx; lra).
  assert (F4 := exp_fourth x ltac:(lra)).
  assert (F5 : (4 * (Rabs C * M) + 1) * x ^ 3 <= x ^ 4 / 2048).
  { replace (x ^ 4 / 2048) with (x / 2048 * x ^ 3) by field; apply Rmult_le_compat_r; [apply pow_le; lra|lra]. }
  assert (F6 : 1 < x ^ 3) by (apply Rlt_le_trans with (2048 ^ 3); [lra|apply pow_incr; lra]).
  assert (F7 : 0 <= Rabs C * M * x ^ 3) by (apply Rmult_le_pos; [exact HCM|lra]).
  destruct (natural_below (exp x / 4)) as [T [T1 [T2 T3]]]; [lra|].
  exists T; split; [exact T1|]; intros i lambda Gamma U estimate d Hl HU LS Hdim.
  set (small := fun D => if Rle_dec (regret B beta Gamma U estimate D) (printed_5_2 C B alpha beta delta (d D) T) then 1 else 0).
  set (large := fun D => if Rle_dec (regret B beta Gamma U estimate D) (printed_5_2 C B alpha beta delta (d D) T) then 0 else 1).
  assert (Sum := mean_complement B alpha beta Gamma U estimate Ha T [] small large).
  assert (N1 : 1 <= INR T) by (apply (le_INR 1); exact T1).
  assert (Main : (1 - p B alpha) / 4 <= mean B alpha beta Gamma U estimate T [] large).
  { destruct T as [|k]; [exfalso; lia|].
    apply (whole B alpha beta Gamma U estimate HB Ha Hb HU LS).
    - intros D; unfold large; destruct (Rle_dec _ _); lra.
    - intros D HD HT HR; unfold large; destruct (Rle_dec _ _) as [Bad|_]; [exfalso|lra].
      assert (Dim := dimension_small B alpha beta estimate HB Ha LS lambda Hl i D (d D) HD).
      rewrite HT in Dim; specialize (Dim T2 (Hdim D)).
      set (t := INR (S k)) in *.
      assert (Lt : 0 <= ln t <= x).
      { split; [rewrite <- ln_1; apply ln_below; lra|]; rewrite <- (ln_exp x); apply ln_below; lra. }
      assert (Ltd : ln (2 * t / delta) = ln t + ln (2 / delta)).
      { replace (2 * t / delta) with (t * (2 / delta)) by (field; lra); apply ln_mult; [lra|apply Rdiv_lt_0_compat; lra]. }
      assert (Up : printed_5_2 C B alpha beta delta (d D) (S k) <= 4 * (Rabs C * M * x ^ 3)).
      { unfold printed_5_2; fold t; rewrite Ltd.
        set (P := beta * d D * exp (2 * B) / (2 * alpha - 1) ^ 2 * (ln t + ln (2 / delta))).
        assert (PE : P = M * x * (d D * (ln t + ln (2 / delta)))) by (unfold P, M, x; field; lra).
        assert (Q : 0 <= d D * (ln t + ln (2 / delta)) <= 2 * x * (2 * x)).
        { split; [apply Rmult_le_pos; lra|apply Rmult_le_compat; unfold A in XA; lra]. }
        assert (P0 : 0 <= M * x) by (apply Rmult_le_pos; lra).
        assert (P1 : 0 <= P <= M * x * (2 * x * (2 * x))) by (rewrite PE; split; [apply Rmult_le_pos; lra|apply Rmult_le_compat_l; lra]).
        apply Rle_trans with (Rabs C * P); [apply Rmult_le_compat_r; [lra|apply Rle_abs]|].
        apply Rle_trans with (Rabs C * (M * x * (2 * x * (2 * x)))); [apply Rmult_le_compat_l; lra|right; ring]. }
      assert (Low : (t - 1) / 2 <= INR k * (B / 2)).
      { assert (K : INR k = t - 1) by (unfold t; rewrite S_INR; ring); assert (K0 := pos_INR k); rewrite <- K; nra. }
      lra.
    - assert (E := exp_pos x); rewrite S_INR in T2; rewrite exp_Ropp; fold x.
      apply Rmult_le_reg_r with (exp x); [exact E|]; rewrite Rmult_assoc, Rinv_l by lra; lra. }
  assert (Sum' : mean B alpha beta Gamma U estimate T [] small + mean B alpha beta Gamma U estimate T [] large = 1).
  { apply Sum; intros D; unfold small, large; destruct (Rle_dec _ _); ring. }
  change (mean B alpha beta Gamma U estimate T [] small < 1 - delta); destruct Hd; lra.
Qed.

Theorem has_estimate_holds : has_estimate.
Proof.
  intros B alpha; exists (fun D => if Rle_dec (loss B alpha true D) (loss B alpha false D) then true else false).
  intros D best; destruct (Rle_dec _ _), best; lra.
Qed.

(* The largest of f over all choices of n responses. *)
Lemma largest n (f : list bool -> R) : exists d, (forall c, length c = n -> f c <= d) /\ (exists c, length c = n /\ f c = d).
Proof.
  revert f; induction n as [|n IH]; intros f.
  - exists (f []); split; [intros [|]; [lra|discriminate]|now exists []].
  - destruct (IH (fun c => f (true :: c))) as [d1 [A1 [c1 [L1 E1]]]]; destruct (IH (fun c => f (false :: c))) as [d2 [A2 [c2 [L2 E2]]]].
    exists (Rmax d1 d2); split.
    + intros [|[] c] L; [discriminate| |]; injection L as L.
      * apply Rle_trans with (1 := A1 c L), Rmax_l.
      * apply Rle_trans with (1 := A2 c L), Rmax_r.
    + destruct (Rle_dec d1 d2) as [H|H].
      * exists (false :: c2); split; [simpl; now rewrite L2|rewrite Rmax_right by exact H; exact E2].
      * exists (true :: c1); split; [simpl; now rewrite L1|rewrite Rmax_left by lra; exact E1].
Qed.

Theorem has_dimension_holds : has_dimension.
Proof. intros i B beta lambda estimate D; apply largest. Qed.

Print Assumptions linear_regret_holds.
Print Assumptions theorem_5_2_false_holds.
Print Assumptions has_estimate_holds.
Print Assumptions has_dimension_holds.
