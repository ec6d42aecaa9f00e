(* P2, Propositions E.1 and E.2.  E.1: "There exist offline alignment algorithms such that with probability 1 - delta",
       J_beta(pi*_beta) - J_beta(pi^_CTL) <= O~( 1/(beta T) D^2 (c(eps)^2 log(|G|/delta) + alpha^2) ),
   and under LTC c(eps)^2 alpha^2 for alpha^2: the bound goes to 0 as T grows, at any fixed alpha.  E.2: the same online, with
   d_pref,edim(G, T) for D^2.

   floor:      for every order, 0 < alpha < 1/2, eps, beta > 0 (LTC: c alpha < 1 - alpha), delta < 1/2, every T and every algorithm, a
               bound eta(T) that holds with probability 1 - delta in two worlds is at least
               zeta^2 alpha^2/(2 beta + zeta^2 alpha^2/beta), zeta = 1 (CTL) or c (LTC), which does not fall with T.
   E_1_false:  so no bound that goes to 0 with T holds, whatever constants and logarithms are in it.
   floor_online: the same for Proposition E.2, where the algorithm chooses each pair after the labels before it.
   The two worlds: one prompt, two responses, pi_ref even (D^2 is finite and free of T), G = the two rewards that give one of the
   responses the reward Delta and the other 0.  The algorithm may know everything but which of the two it is.
   Line by line: (1), (2), Definitions 2.2 to 2.4 as printed; the bad distribution of Huber's model may differ from pair to pair, and is
       oblivious (Remark 2.5); the guarantee is asked for the two rewards at the given alpha, eps, beta and Delta alone.
   What it does not say: nothing against the first line of E.1 and E.2, without corruption; nor that the constant of the floor is
       the best one; nor anything where c alpha >= 1 - alpha under LTC, where every label may be noise; nor anything of a bad distribution
       that does not depend on which response stands first, where both hold if alpha is known (docs/explanations/
       fast_rates_and_corruption.md, on paper).  A learner has no coins of its own; with coins the floor follows by averaging over them. *)

Require Import Reals Lra Psatz List Bool.
From Coquelicot Require Import Coquelicot.
Import ListNotations.
Open Scope R_scope.

Definition sigma (x : R) := / (1 + exp (- x)).
Definition keep (eps : R) := exp eps / (1 + exp eps).
Definition c (eps : R) := (exp eps + 1) / (exp eps - 1).

(* Rewards, (1), Definitions 2.2 to 2.4: the probability that the label of a pair (a, a') is 1, at each stage. *)
Definition reward (Delta : R) (best a : bool) : R := if eqb a best then Delta else 0.
Definition prefers (r : bool -> R) (a a' : bool) : R := exp (r a) / (exp (r a) + exp (r a')).
Definition randomised (eps p : R) : R := keep eps * p + (1 - keep eps) * (1 - p).
Definition huber (alpha bad p : R) : R := (1 - alpha) * p + alpha * bad.
Inductive order := CTL | LTC.
Definition report (o : order) (alpha eps bad p : R) : R :=
  match o with CTL => randomised eps (huber alpha bad p) | LTC => huber alpha bad (randomised eps p) end.
Definition zeta (o : order) (eps : R) : R := match o with CTL => 1 | LTC => c eps end.

(* A sample is a pair of responses, each drawn from an even pi_ref, and the label received. *)
Definition sample := (bool * bool * bool)%type.
Definition samples : list sample := list_prod (list_prod [true; false] [true; false]) [true; false].
Definition law (o : order) (alpha eps : R) (bad : bool -> bool -> R) (r : bool -> R) (s : sample) : R :=
  let '(a, a', z) := s in
  let p := report o alpha eps (bad a a') (prefers r a a') in / 4 * (if z then p else 1 - p).

(* The probability of an event of T independent samples. *)
Fixpoint sum {A : Type} (l : list A) (f : A -> R) : R :=
  match l with [] => 0 | a :: l' => f a + sum l' f end.
Fixpoint prob (p : sample -> R) (T : nat) (S : list sample -> bool) : R :=
  match T with
  | O => if S [] then 1 else 0
  | Datatypes.S T' => sum samples (fun s => p s * prob p T' (fun d => S (s :: d)))
  end.

(* (2): a policy is the probability q of the first response; 0 ln 0 = 0 in Coq. *)
Definition J (beta : R) (r : bool -> R) (q : R) : R :=
  q * r true + (1 - q) * r false - beta * (q * ln (q / (1 / 2)) + (1 - q) * ln ((1 - q) / (1 / 2))).
Definition optimal (beta : R) (r : bool -> R) : R :=
  exp (r true / beta) / (exp (r true / beta) + exp (r false / beta)).
Definition gap (beta : R) (r : bool -> R) (q : R) : R := J beta r (optimal beta r) - J beta r q.
Definition at_most (x eta : R) : bool := if Rle_dec x eta then true else false.

(* eta bounds the gap of some algorithms with probability 1 - delta, for rewards in {reward Delta true, reward Delta false}. *)
Definition guarantee (o : order) (alpha eps beta delta Delta : R) (eta : nat -> R) := forall T : nat,
  exists learner : list sample -> R, (forall d, 0 <= learner d <= 1) /\
  forall (best : bool) (bad : bool -> bool -> R), (forall a a', 0 <= bad a a' <= 1) ->
  1 - delta <= prob (law o alpha eps bad (reward Delta best)) T
                    (fun d => at_most (gap beta (reward Delta best) (learner d)) (eta T)).

(* The worlds' Delta: tanh(Delta/2) = tau = zeta alpha/(1 - alpha), so that corruption can make every report even. *)
Definition tau o alpha eps := zeta o eps * alpha / (1 - alpha).
Definition Delta o alpha eps := ln ((1 + tau o alpha eps) / (1 - tau o alpha eps)).
Definition feasible o alpha eps := 0 < alpha < 1 / 2 /\ 0 < eps /\ zeta o eps * alpha < 1 - alpha.

(* Proposition E.2, online: the algorithm chooses each pair from the labels so far; seeds of its own may be fixed. *)
Fixpoint online (report_of : bool -> bool -> R) (choose : list bool -> bool * bool) (T : nat) (labels : list bool)
    (S : list bool -> bool) : R :=
  match T with
  | O => if S labels then 1 else 0
  | Datatypes.S T' =>
      let p := report_of (fst (choose labels)) (snd (choose labels)) in
      p * online report_of choose T' (true :: labels) S + (1 - p) * online report_of choose T' (false :: labels) S
  end.
Definition guarantee_online (o : order) (alpha eps beta delta Delta : R) (eta : nat -> R) := forall T : nat,
  exists (choose : list bool -> bool * bool) (learner : list bool -> R), (forall d, 0 <= learner d <= 1) /\
  forall (best : bool) (bad : bool -> bool -> R), (forall a a', 0 <= bad a a' <= 1) ->
  1 - delta <= online (fun a a' => report o alpha eps (bad a a') (prefers (reward Delta best) a a')) choose T []
                      (fun d => at_most (gap beta (reward Delta best) (learner d)) (eta T)).

Definition floor : Prop := forall (o : order) (alpha eps beta delta : R) (eta : nat -> R),
  feasible o alpha eps -> 0 < beta -> delta < 1 / 2 ->
  guarantee o alpha eps beta delta (Delta o alpha eps) eta ->
  forall T, (zeta o eps * alpha) ^ 2 / (2 * beta + (zeta o eps * alpha) ^ 2 / beta) <= eta T.

Definition floor_online : Prop := forall (o : order) (alpha eps beta delta : R) (eta : nat -> R),
  feasible o alpha eps -> 0 < beta -> delta < 1 / 2 ->
  guarantee_online o alpha eps beta delta (Delta o alpha eps) eta ->
  forall T, (zeta o eps * alpha) ^ 2 / (2 * beta + (zeta o eps * alpha) ^ 2 / beta) <= eta T.

Definition E_1_false : Prop := forall (o : order) (alpha eps beta delta : R) (eta : nat -> R),
  feasible o alpha eps -> 0 < beta -> delta < 1 / 2 ->
  Un_cv eta 0 -> ~ guarantee o alpha eps beta delta (Delta o alpha eps) eta.

(* ---- proofs ---- *)

Lemma ln_ge A : 0 < A -> 1 - / A <= ln A.
Proof. intros H; assert (X := exp_ineq1_le (- ln A)); rewrite exp_Ropp, exp_ln in X by exact H; lra. Qed.

Lemma kl_even q : 0 <= q <= 1 -> 0 <= q * ln (q / (1 / 2)) + (1 - q) * ln ((1 - q) / (1 / 2)).
Proof.
  assert (G : forall q, 0 <= q -> q - 1 / 2 <= q * ln (q / (1 / 2))).
  { intros p [H|<-]; [|lra]; assert (L := ln_ge (p / (1 / 2)) ltac:(lra)).
    replace (p - 1 / 2) with (p * (1 - / (p / (1 / 2)))) by (field; lra); apply Rmult_le_compat_l; lra. }
  intros H; assert (A := G q ltac:(lra)); assert (B := G (1 - q) ltac:(lra)); lra.
Qed.

Lemma value beta r : 0 < beta ->
  J beta r (optimal beta r) = beta * ln ((exp (r true / beta) + exp (r false / beta)) / 2).
Proof.
  intros Hb; unfold J, optimal.
  assert (E1 : r true = beta * ln (exp (r true / beta))) by (rewrite ln_exp; field; lra).
  assert (E2 : r false = beta * ln (exp (r false / beta))) by (rewrite ln_exp; field; lra).
  rewrite E1 at 3; rewrite E2 at 3.
  generalize (exp_pos (r true / beta)) (exp_pos (r false / beta)); generalize (exp (r true / beta)) (exp (r false / beta)).
  intros x y X Y.
  replace (1 - x / (x + y)) with (y / (x + y)) by (field; lra).
  replace (x / (x + y) / (1 / 2)) with (x / ((x + y) / 2)) by (field; lra).
  replace (y / (x + y) / (1 / 2)) with (y / ((x + y) / 2)) by (field; lra).
  rewrite !ln_div by lra; field; lra.
Qed.

(* The gap is never negative: `optimal` is the optimal policy. *)
Lemma gap_nonneg beta r q : 0 < beta -> 0 < q < 1 -> 0 <= gap beta r q.
Proof.
  intros Hb Hq; unfold gap; rewrite value by exact Hb; unfold J.
  assert (E1 : r true = beta * ln (exp (r true / beta))) by (rewrite ln_exp; field; lra).
  assert (E2 : r false = beta * ln (exp (r false / beta))) by (rewrite ln_exp; field; lra).
  rewrite E1 at 2; rewrite E2 at 2.
  generalize (exp_pos (r true / beta)) (exp_pos (r false / beta)); generalize (exp (r true / beta)) (exp (r false / beta)).
  intros x y X Y; set (Z := (x + y) / 2).
  assert (A := ln_ge (Z * (q / (1 / 2)) / x) ltac:(unfold Z; apply Rdiv_lt_0_compat; nra)).
  assert (B := ln_ge (Z * ((1 - q) / (1 / 2)) / y) ltac:(unfold Z; apply Rdiv_lt_0_compat; nra)).
  rewrite ln_div, ln_mult in A by (unfold Z; nra); rewrite ln_div, ln_mult in B by (unfold Z; nra).
  assert (A' : q - x / (x + y) <= q * (ln Z + ln (q / (1 / 2)) - ln x)).
  { apply Rle_trans with (q * (1 - / (Z * (q / (1 / 2)) / x))); [right; unfold Z; field; lra|apply Rmult_le_compat_l; lra]. }
  assert (B' : (1 - q) - y / (x + y) <= (1 - q) * (ln Z + ln ((1 - q) / (1 / 2)) - ln y)).
  { apply Rle_trans with ((1 - q) * (1 - / (Z * ((1 - q) / (1 / 2)) / y))); [right; unfold Z; field; lra|apply Rmult_le_compat_l; lra]. }
  assert (S : x / (x + y) + y / (x + y) = 1) by (field; lra).
  nra.
Qed.

Lemma sinh_ge t : 0 <= t -> t <= (exp t - exp (- t)) / 2.
Proof.
  intros [H|<-]; [|rewrite Ropp_0, exp_0; lra].
  destruct (MVT_cor2 (fun x => exp x - exp (- x) - 2 * x) (fun c => exp c + exp (- c) - 2) 0 t H) as [z [E _]].
  - intros z _; apply is_derive_Reals; auto_derive; [trivial|ring].
  - rewrite Ropp_0, exp_0 in E.
    assert (P : 0 <= exp z + exp (- z) - 2).
    { rewrite exp_Ropp; generalize (exp_pos z); generalize (exp z); intros e He.
      replace (e + / e - 2) with ((e - 1) ^ 2 * / e) by (field; lra).
      apply Rmult_le_pos; [apply pow2_ge_0|left; now apply Rinv_0_lt_compat]. }
    nra.
Qed.

(* log cosh x >= x^2/(2 + x^2) *)
Lemma log_cosh x : 0 <= x -> x ^ 2 / (2 + x ^ 2) <= ln ((exp x + exp (- x)) / 2).
Proof.
  intros H; assert (S := sinh_ge (x / 2) ltac:(lra)).
  assert (C : 1 + x ^ 2 / 2 <= (exp x + exp (- x)) / 2).
  { replace (exp x) with (exp (x / 2) * exp (x / 2)) by (rewrite <- exp_plus; f_equal; field).
    replace (exp (- x)) with (exp (- (x / 2)) * exp (- (x / 2))) by (rewrite <- exp_plus; f_equal; field).
    assert (P : exp (x / 2) * exp (- (x / 2)) = 1) by (rewrite <- exp_plus, <- exp_0; f_equal; field); nra. }
  assert (N : 0 <= x ^ 2) by apply pow2_ge_0.
  apply Rle_trans with (1 - / ((exp x + exp (- x)) / 2)); [|apply ln_ge; lra].
  assert (/ ((exp x + exp (- x)) / 2) <= / (1 + x ^ 2 / 2)) by (apply Rinv_le_contravar; lra).
  replace (x ^ 2 / (2 + x ^ 2)) with (1 - / (1 + x ^ 2 / 2)) by (field; lra); lra.
Qed.

(* No policy is good in both worlds. *)
Lemma compromise beta Delta q : 0 < beta -> 0 <= Delta -> 0 <= q <= 1 ->
  2 * beta * ln ((exp (Delta / (2 * beta)) + exp (- (Delta / (2 * beta)))) / 2)
  <= gap beta (reward Delta true) q + gap beta (reward Delta false) q.
Proof.
  intros Hb HD Hq; unfold gap; rewrite !value by exact Hb; unfold J, reward; cbn [eqb].
  replace (0 / beta) with 0 by (field; lra); rewrite exp_0.
  set (x := Delta / (2 * beta)).
  assert (E : exp (Delta / beta) + 1 = exp x * (exp x + exp (- x))).
  { rewrite Rmult_plus_distr_l, <- !exp_plus, <- exp_0; f_equal; f_equal; unfold x; field; lra. }
  assert (L : ln ((exp (Delta / beta) + 1) / 2) = x + ln ((exp x + exp (- x)) / 2)).
  { rewrite E; replace (exp x * (exp x + exp (- x)) / 2) with (exp x * ((exp x + exp (- x)) / 2)) by field.
    rewrite ln_mult, ln_exp; [reflexivity|apply exp_pos|generalize (exp_pos x) (exp_pos (- x)); lra]. }
  rewrite (Rplus_comm 1), L; assert (K := kl_even q Hq).
  assert (X : 2 * beta * x = Delta) by (unfold x; field; lra).
  set (kl := q * ln (q / (1 / 2)) + (1 - q) * ln ((1 - q) / (1 / 2))) in *; nra.
Qed.

Lemma keep_c eps : 0 < eps -> 0 < 2 * keep eps - 1 /\ (2 * keep eps - 1) * c eps = 1 /\ 1 <= c eps.
Proof.
  intros He; assert (E : 1 < exp eps) by (rewrite <- exp_0; apply exp_increasing, He).
  split; [|split].
  - replace (2 * keep eps - 1) with ((exp eps - 1) / (exp eps + 1)) by (unfold keep; field; lra); apply Rdiv_lt_0_compat; lra.
  - unfold keep, c; field; lra.
  - unfold c; apply Rmult_le_reg_r with (exp eps - 1); [lra|field_simplify; lra].
Qed.

Definition adversary (best a a' : bool) : R := if eqb a a' then 1 / 2 else if eqb a best then 0 else 1.

Lemma tau_range o alpha eps : feasible o alpha eps -> 0 < zeta o eps * alpha <= tau o alpha eps /\ tau o alpha eps < 1.
Proof.
  intros [Ha [He H]]; destruct (keep_c eps He) as [_ [_ C]].
  assert (Z : 0 < zeta o eps * alpha) by (destruct o; simpl; nra).
  unfold tau; repeat split; [exact Z| |].
  - apply Rmult_le_reg_r with (1 - alpha); [lra|].
    replace (zeta o eps * alpha / (1 - alpha) * (1 - alpha)) with (zeta o eps * alpha) by (field; lra); nra.
  - apply Rmult_lt_reg_r with (1 - alpha); [lra|].
    replace (zeta o eps * alpha / (1 - alpha) * (1 - alpha)) with (zeta o eps * alpha) by (field; lra); lra.
Qed.

(* The adversary makes the label of every pair an even coin, in either world. *)
Lemma even_report o alpha eps best a a' : feasible o alpha eps ->
  report o alpha eps (adversary best a a') (prefers (reward (Delta o alpha eps) best) a a') = 1 / 2.
Proof.
  intros F; destruct (tau_range o alpha eps F) as [T1 T2]; destruct F as [Ha [He _]].
  destruct (keep_c eps He) as [K [KC _]].
  assert (E : exp (Delta o alpha eps) = (1 + tau o alpha eps) / (1 - tau o alpha eps))
    by (unfold Delta; apply exp_ln, Rdiv_lt_0_compat; lra).
  assert (Same : forall x : R, exp x / (exp x + exp x) = 1 / 2) by (intros x; generalize (exp_pos x); intro; field; lra).
  assert (W : exp (Delta o alpha eps) / (exp (Delta o alpha eps) + exp 0) = (1 + tau o alpha eps) / 2)
    by (rewrite E, exp_0; field; lra).
  assert (L : exp 0 / (exp 0 + exp (Delta o alpha eps)) = (1 - tau o alpha eps) / 2)
    by (rewrite E, exp_0; field; lra).
  assert (TA : (match o with CTL => 1 | LTC => 2 * keep eps - 1 end) * tau o alpha eps * (1 - alpha) = alpha).
  { destruct o; unfold tau; simpl; [field; lra|].
    replace ((2 * keep eps - 1) * (c eps * alpha / (1 - alpha)) * (1 - alpha)) with ((2 * keep eps - 1) * c eps * alpha) by (field; lra).
    rewrite KC; ring. }
  unfold prefers, adversary; destruct a, a', best; unfold reward; cbn [eqb]; rewrite ?Same, ?W, ?L;
    destruct o; unfold report, randomised, huber; nra.
Qed.

Lemma all_even o alpha eps best s : feasible o alpha eps ->
  law o alpha eps (adversary best) (reward (Delta o alpha eps) best) s = / 8.
Proof. intros F; destruct s as [[a a'] z]; unfold law; rewrite (even_report o alpha eps best a a' F); destruct z; field. Qed.

Lemma sum_le {A : Type} (l : list A) (f g : A -> R) : (forall a, f a <= g a) -> sum l f <= sum l g.
Proof. intros H; induction l as [|x l IH]; simpl; [lra|specialize (H x); lra]. Qed.

Lemma sum_ext {A : Type} (l : list A) (f g : A -> R) : (forall a, f a = g a) -> sum l f = sum l g.
Proof. intros H; induction l as [|x l IH]; simpl; [reflexivity|rewrite H, IH; reflexivity]. Qed.

Lemma prob_ext p p' T S : (forall s, p s = p' s) -> prob p T S = prob p' T S.
Proof. intros H; revert S; induction T as [|T IH]; intros S; cbn [prob]; [reflexivity|apply sum_ext; intros s; rewrite H, IH; reflexivity]. Qed.

Lemma disjoint T : forall S S' : list sample -> bool, (forall d, S d && S' d = false) ->
  prob (fun _ => / 8) T S + prob (fun _ => / 8) T S' <= 1.
Proof.
  induction T as [|T IH]; intros S S' H; cbn [prob].
  - specialize (H []); destruct (S []), (S' []); simpl in H; try discriminate; lra.
  - assert (X := fun s => IH (fun d => S (s :: d)) (fun d => S' (s :: d)) (fun d => H (s :: d))).
    assert (Y := sum_le samples (fun s => / 8 * prob (fun _ => / 8) T (fun d => S (s :: d)) + / 8 * prob (fun _ => / 8) T (fun d => S' (s :: d))) (fun _ => / 8)).
    assert (Z : forall f g : sample -> R, sum samples (fun s => f s + g s) = sum samples f + sum samples g)
      by (intros; unfold samples; simpl; ring).
    rewrite Z in Y; apply Rle_trans with (1 := Y (fun s => ltac:(specialize (X s); lra))); unfold samples; simpl; lra.
Qed.

Lemma artanh t : 0 < t < 1 -> 2 * t <= ln ((1 + t) / (1 - t)).
Proof.
  intros H; rewrite ln_div by lra.
  destruct (MVT_cor2 (fun x => ln (1 + x) - ln (1 - x) - 2 * x) (fun x => / (1 + x) + / (1 - x) - 2) 0 t) as [z [E I]]; [lra| |].
  - intros z I; apply is_derive_Reals; auto_derive; [lra|field; lra].
  - rewrite Rplus_0_r, Rminus_0_r, ln_1 in E.
    assert (P : 0 <= / (1 + z) + / (1 - z) - 2).
    { replace (/ (1 + z) + / (1 - z) - 2) with (2 * z ^ 2 / ((1 + z) * (1 - z))) by (field; lra).
      apply Rmult_le_pos; [nra|left; apply Rinv_0_lt_compat; nra]. }
    nra.
Qed.

Definition least o alpha eps beta := (zeta o eps * alpha) ^ 2 / (2 * beta + (zeta o eps * alpha) ^ 2 / beta).

(* A policy that loses less than `least` in one world loses more in the other. *)
Lemma not_both o alpha eps beta eta q : feasible o alpha eps -> 0 < beta -> eta < least o alpha eps beta -> 0 <= q <= 1 ->
  at_most (gap beta (reward (Delta o alpha eps) true) q) eta && at_most (gap beta (reward (Delta o alpha eps) false) q) eta = false.
Proof.
  intros F Hb L Hq; destruct (tau_range o alpha eps F) as [T1 T2]; unfold least in L.
  set (D := Delta o alpha eps) in *; set (h := zeta o eps * alpha) in *.
  assert (HD : 2 * h <= D) by (assert (X := artanh (tau o alpha eps) ltac:(lra)); unfold D, Delta; lra).
  unfold at_most; destruct (Rle_dec _ _) as [X|]; [|reflexivity]; destruct (Rle_dec _ _) as [Y|]; [|reflexivity].
  exfalso; apply (Rlt_irrefl (2 * eta)).
  apply Rlt_le_trans with (2 * (h ^ 2 / (2 * beta + h ^ 2 / beta))); [lra|].
  apply Rle_trans with (gap beta (reward D true) q + gap beta (reward D false) q); [|lra].
  apply Rle_trans with (2 := compromise beta D q Hb ltac:(lra) Hq).
  set (x := D / (2 * beta)).
  assert (Hx : h / beta <= x).
  { unfold x; apply Rmult_le_reg_r with (2 * beta); [lra|].
    replace (h / beta * (2 * beta)) with (2 * h) by (field; lra).
    replace (D / (2 * beta) * (2 * beta)) with D by (field; lra); exact HD. }
  assert (H0 : 0 < h / beta) by (apply Rdiv_lt_0_compat; lra).
  assert (LC := log_cosh x ltac:(lra)).
  replace (2 * (h ^ 2 / (2 * beta + h ^ 2 / beta))) with (2 * beta * (1 - 2 / (2 + (h / beta) ^ 2)))
    by (assert (0 < h * h) by nra; assert (0 < beta * beta) by nra; field; repeat split; try lra; apply Rgt_not_eq; simpl; lra).
  apply Rmult_le_compat_l; [lra|].
  apply Rle_trans with (2 := LC).
  assert (0 <= x ^ 2) by apply pow2_ge_0; assert (0 <= (h / beta) ^ 2) by apply pow2_ge_0.
  replace (x ^ 2 / (2 + x ^ 2)) with (1 - 2 / (2 + x ^ 2)) by (field; lra).
  assert (S : (h / beta) ^ 2 <= x ^ 2) by (apply pow_incr; lra).
  assert (/ (2 + x ^ 2) <= / (2 + (h / beta) ^ 2)) by (apply Rinv_le_contravar; lra).
  unfold Rdiv at 1 3; lra.
Qed.

Lemma allowed best a a' : 0 <= adversary best a a' <= 1.
Proof. unfold adversary; destruct (eqb a a'), (eqb a best); lra. Qed.

Theorem floor_holds : floor.
Proof.
  intros o alpha eps beta delta eta F Hb Hd G T; destruct (G T) as [learner [Hl P]]; clear G.
  assert (P1 := P true (adversary true) (allowed true)); assert (P2 := P false (adversary false) (allowed false)).
  rewrite (prob_ext (law o alpha eps (adversary true) (reward (Delta o alpha eps) true))
             (fun _ => / 8) T _ (fun s => all_even o alpha eps true s F)) in P1.
  rewrite (prob_ext (law o alpha eps (adversary false) (reward (Delta o alpha eps) false))
             (fun _ => / 8) T _ (fun s => all_even o alpha eps false s F)) in P2.
  apply Rnot_lt_le; intros L.
  assert (Dis := disjoint T _ _ (fun d => not_both o alpha eps beta (eta T) (learner d) F Hb L (Hl d))); lra.
Qed.

Lemma online_even r choose T : (forall a a', r a a' = 1 / 2) -> forall labels S,
  online r choose T labels S = online (fun _ _ => 1 / 2) choose T labels S.
Proof. intros H; induction T as [|T IH]; intros labels S; cbn [online]; [reflexivity|rewrite H, !IH; reflexivity]. Qed.

Lemma online_disjoint choose T S S' : (forall d, S d && S' d = false) -> forall labels,
  online (fun _ _ => 1 / 2) choose T labels S + online (fun _ _ => 1 / 2) choose T labels S' <= 1.
Proof.
  intros H; induction T as [|T IH]; intros labels; cbn [online].
  - specialize (H labels); destruct (S labels), (S' labels); simpl in H; try discriminate; lra.
  - assert (X := IH (true :: labels)); assert (Y := IH (false :: labels)); lra.
Qed.

Theorem floor_online_holds : floor_online.
Proof.
  intros o alpha eps beta delta eta F Hb Hd G T; destruct (G T) as [choose [learner [Hl P]]]; clear G.
  assert (P1 := P true (adversary true) (allowed true)); assert (P2 := P false (adversary false) (allowed false)).
  rewrite online_even in P1 by (intros; now apply even_report); rewrite online_even in P2 by (intros; now apply even_report).
  apply Rnot_lt_le; intros L.
  assert (Dis := online_disjoint choose T _ _ (fun d => not_both o alpha eps beta (eta T) (learner d) F Hb L (Hl d)) []); lra.
Qed.

Theorem E_1_false_holds : E_1_false.
Proof.
  intros o alpha eps beta delta eta F Hb Hd C G.
  assert (L := floor_holds o alpha eps beta delta eta F Hb Hd G).
  destruct (tau_range o alpha eps F) as [T1 _]; set (h := zeta o eps * alpha) in *.
  assert (P : 0 < h ^ 2 / (2 * beta + h ^ 2 / beta)).
  { apply Rdiv_lt_0_compat; [apply pow_lt; lra|].
    assert (0 < h ^ 2 / beta) by (apply Rdiv_lt_0_compat; [apply pow_lt; lra|lra]); lra. }
  destruct (C _ P) as [N HN]; specialize (HN N (Nat.le_refl N)); unfold R_dist in HN.
  rewrite Rminus_0_r in HN; specialize (L N).
  apply (Rlt_irrefl (eta N)), Rle_lt_trans with (Rabs (eta N)); [apply Rle_abs|lra].
Qed.

Print Assumptions floor_holds.
Print Assumptions floor_online_holds.
Print Assumptions E_1_false_holds.
