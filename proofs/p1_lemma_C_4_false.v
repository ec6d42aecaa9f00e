(* P1 (arXiv 2510.13512), Lemma C.4: "with probability 1 - delta, the optimism event E_t = {rbar_t(s,a) + b_t(s,a) + c_t(s) - r*(s,a) >= 0}
   holds for any (s,a) for all t in [T] uniformly", with b_t = min{1, Gamma_T U} (eq. (13)) and
   c_t(s) = E_{b ~ pi^1_(t+1)} [r*(s,b) - rbar_t(s,b)].

   World: one state, two responses, pi_ref even, F = {(B, 0), (0, B)}, r* = (B, 0).
   cap_one_false:   after the first round optimism has probability at most 1 - w/2, where w > 0 is the chance that a private label
                    prefers the worse response, if 2B e^(beta B)/(1 + e^(beta B)) > 1: for every beta > 0 from B = 1 on, for every
                    B > 1/2 if beta is large.  No constant in Gamma_T, no lambda and no T help, so the lemma fails for delta < w/2.
   at_bound_1:      such as B >= 1.
   cap_two_bounds:  with min{2B, .} the cap never breaks what the lemma's proof has before its last line.
   Line by line: rbar is any minimiser of Algorithm 2's private least squares; pi^1 is its Gibbs policy; Gamma U is any number, for
       each sample another; the event is bounded through every set of samples on which optimism holds.
   What it does not say: that regret suffers (it does, linearly in T for e^(beta (B-1)) rounds with a probability free of T, from B > 1
       and beta >= 4/(B-1) + 8 on: p1_algorithm_2_linear_regret.v); nor anything for B <= 1/2. *)

Require Import Reals Lra Psatz List.

Import ListNotations.
Open Scope R_scope.

Definition sigma (x : R) := / (1 + exp (- x)).
Definition keep (eps : R) := exp eps / (1 + exp eps).

(* Rewards of two responses; the class; differences; the private label's law. *)
Definition rewards (B : R) (best a : bool) : R := if Bool.eqb a best then B else 0.
Definition delta_r (r : bool -> R) (a a' : bool) : R := r a - r a'.
Definition sample := (bool * bool * bool)%type.    (* a1, a2, and whether the private label is +1 *)
Definition samples : list sample := list_prod (list_prod [true; false] [true; false]) [true; false].
Definition value (z : bool) : R := if z then 1 else -1.
Definition law (B eps : R) (s : sample) : R :=
  let '(a, a', z) := s in
  let x := sigma (delta_r (rewards B true) a a') in
  let p := keep eps * x + (1 - keep eps) * (1 - x) in
  / 4 * (if z then p else 1 - p).
Fixpoint sum {A : Type} (l : list A) (f : A -> R) : R :=
  match l with [] => 0 | a :: l' => f a + sum l' f end.
Definition prob (B eps : R) (S : sample -> bool) : R := sum samples (fun s => if S s then law B eps s else 0).

(* Algorithm 2 after one round: private least squares, pi^1, the bonus with a cap, c. *)
Definition loss (B eps : R) (s : sample) (best : bool) : R :=
  let '(a, a', z) := s in
  ((2 * sigma (delta_r (rewards B best) a a') - 1) * (2 * keep eps - 1) - value z) ^ 2.
Definition least_squares (B eps : R) (estimate : sample -> bool) :=
  forall s best, loss B eps s (estimate s) <= loss B eps s best.
Definition pi1 (beta : R) (r : bool -> R) (a : bool) : R :=
  exp (beta * r a) / (exp (beta * r true) + exp (beta * r false)).
Definition bonus (cap Gamma : R) (U : bool -> R) (a : bool) : R := Rmin cap (Gamma * U a).
Definition c (beta : R) (r_star rbar : bool -> R) : R :=
  pi1 beta rbar true * (r_star true - rbar true) + pi1 beta rbar false * (r_star false - rbar false).
Definition optimism (beta cap Gamma : R) (U : bool -> R) (r_star rbar : bool -> R) : Prop :=
  forall a, 0 <= rbar a + bonus cap Gamma U a + c beta r_star rbar - r_star a.

(* The chance that a private label prefers the worse response. *)
Definition w (B eps : R) : R := keep eps * (1 - sigma B) + (1 - keep eps) * sigma B.

Definition cap_one_false : Prop := forall (B beta eps Gamma : R) (U : sample -> bool -> R) (estimate : sample -> bool),
  0 < B -> 0 < eps -> 1 < 2 * B * exp (beta * B) / (1 + exp (beta * B)) ->
  least_squares B eps estimate ->
  0 < w B eps /\
  forall S : sample -> bool,
    (forall s, S s = true -> optimism beta 1 Gamma (U s) (rewards B true) (rewards B (estimate s))) ->
    prob B eps S <= 1 - w B eps / 2.

Definition at_bound_1 : Prop := forall B beta : R, 1 <= B -> 0 < beta -> 1 < 2 * B * exp (beta * B) / (1 + exp (beta * B)).

Definition cap_two_bounds : Prop := forall (B beta Gamma : R) (U r_star rbar : bool -> R),
  (forall a, 0 <= r_star a <= B) -> (forall a, 0 <= rbar a <= B) ->
  (forall a, Rabs (r_star a - rbar a - c beta r_star rbar) <= Gamma * U a) ->
  optimism beta (2 * B) Gamma U r_star rbar.

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

Lemma keep_range eps : 0 < eps -> 1 / 2 < keep eps < 1.
Proof.
  intros He; assert (E : 1 < exp eps) by (rewrite <- exp_0; apply exp_increasing, He); unfold keep; split.
  - apply Rmult_lt_reg_r with (1 + exp eps); [lra|]; replace (exp eps / (1 + exp eps) * (1 + exp eps)) with (exp eps) by (field; lra); lra.
  - apply Rmult_lt_reg_r with (1 + exp eps); [lra|]; replace (exp eps / (1 + exp eps) * (1 + exp eps)) with (exp eps) by (field; lra); lra.
Qed.

Theorem cap_one_false_holds : cap_one_false.
Proof.
  intros B beta eps Gamma U estimate HB He Hb LS.
  assert (K := keep_range eps He); assert (SB := sigma_range B); assert (SH := sigma_half B HB).
  split; [unfold w; nra|intros S HS].
  (* after a label that prefers the worse response the estimate is wrong *)
  assert (W1 : estimate (true, false, false) = false).
  { specialize (LS (true, false, false) false); destruct (estimate (true, false, false)); [|reflexivity].
    exfalso; unfold loss, delta_r, rewards, value in LS; cbn [Bool.eqb] in LS.
    replace (0 - B) with (- B) in LS by ring; rewrite Rminus_0_r, sigma_opp in LS; nra. }
  assert (W2 : estimate (false, true, true) = false).
  { specialize (LS (false, true, true) false); destruct (estimate (false, true, true)); [|reflexivity].
    exfalso; unfold loss, delta_r, rewards, value in LS; cbn [Bool.eqb] in LS.
    replace (0 - B) with (- B) in LS by ring; rewrite Rminus_0_r, sigma_opp in LS; nra. }
  (* and then optimism fails at the better response, whatever Gamma U is *)
  assert (No : forall U, ~ optimism beta 1 Gamma U (rewards B true) (rewards B false)).
  { intros V H; specialize (H true); unfold bonus, c, pi1, rewards in H; cbn [Bool.eqb] in H.
    rewrite Rmult_0_r, exp_0 in H; assert (M := Rmin_l 1 (Gamma * V true)).
    generalize (exp_pos (beta * B)); revert H Hb; generalize (exp (beta * B)); intros e H Hb E.
    replace (2 * B * e / (1 + e)) with (B - (1 / (1 + e) * (B - 0) + e / (1 + e) * (0 - B))) in Hb by (field; lra).
    lra. }
  assert (N1 : S (true, false, false) = false).
  { destruct (S (true, false, false)) eqn:E; [|reflexivity]; exfalso; apply HS in E; rewrite W1 in E; now apply No in E. }
  assert (N2 : S (false, true, true) = false).
  { destruct (S (false, true, true)) eqn:E; [|reflexivity]; exfalso; apply HS in E; rewrite W2 in E; now apply No in E. }
  unfold prob, samples; cbn [list_prod map app sum]; rewrite N1, N2.
  assert (L : forall s, 0 <= law B eps s).
  { intros [[a a'] z]; unfold law; assert (X := sigma_range (delta_r (rewards B true) a a')); destruct z; nra. }
  assert (T : forall s, (if S s then law B eps s else 0) <= law B eps s) by (intros s; destruct (S s); [lra|apply L]).
  assert (Z1 : law B eps (true, false, false) + law B eps (false, true, true) = w B eps / 2).
  { unfold law, w, delta_r, rewards; cbn [Bool.eqb]; rewrite Rminus_0_r; replace (0 - B) with (- B) by ring; rewrite sigma_opp; field. }
  assert (Z2 : law B eps (true, true, true) + law B eps (true, true, false) + law B eps (true, false, true) +
    law B eps (false, true, false) + law B eps (false, false, true) + law B eps (false, false, false) = 1 - w B eps / 2).
  { rewrite <- Z1; unfold law; field. }
  generalize (T (true, true, true)) (T (true, true, false)) (T (true, false, true)) (T (false, true, false)) (T (false, false, true)) (T (false, false, false)); lra.
Qed.

Theorem at_bound_1_holds : at_bound_1.
Proof.
  intros B beta HB Hb; assert (E : 1 < exp (beta * B)) by (rewrite <- exp_0; apply exp_increasing; nra).
  generalize dependent (exp (beta * B)); intros e E.
  apply Rmult_lt_reg_r with (1 + e); [lra|]; replace (2 * B * e / (1 + e) * (1 + e)) with (2 * B * e) by (field; lra); nra.
Qed.

Theorem cap_two_bounds_holds : cap_two_bounds.
Proof.
  intros B beta Gamma U rs rb Hs Hr H a; specialize (H a); unfold bonus.
  assert (C : - B <= c beta rs rb).
  { assert (P : 0 < pi1 beta rb true /\ 0 < pi1 beta rb false /\ pi1 beta rb true + pi1 beta rb false = 1).
    { unfold pi1; generalize (exp_pos (beta * rb true)) (exp_pos (beta * rb false)); intros.
      repeat split; [apply Rdiv_lt_0_compat; lra|apply Rdiv_lt_0_compat; lra|field; lra]. }
    unfold c; assert (A := Hs true); assert (A' := Hs false); assert (D := Hr true); assert (D' := Hr false); nra. }
  assert (L := Rle_abs (rs a - rb a - c beta rs rb)); assert (A := Hs a); assert (D := Hr a).
  assert (rs a - rb a - c beta rs rb <= Rmin (2 * B) (Gamma * U a)) by (apply Rmin_glb; lra); lra.
Qed.

Print Assumptions cap_one_false_holds.
Print Assumptions at_bound_1_holds.
Print Assumptions cap_two_bounds_holds.
