(* P1 (arXiv 2510.13512), the abstract: "a new suboptimality gap of O~(1/[(e^eps - 1)^2 n]) ... under single-policy
   concentrability", "a logarithmic regret bound of O(d_F log(N_F T)/(e^eps - 1)^2)".  No range of eps is named there;
   Remark 4.4 writes e^eps - 1 for eps in (0, 1] only, where it differs from 2 alpha - 1 by a bounded factor, and
   Theorems 4.2 and 5.2 have (2 alpha - 1)^2.

   gap_not_in_exp:     read for every eps > 0, the first is not true of any algorithm: whatever the constant K, at every n there
                       are two worlds (one state, two responses, even pi_ref, rewards in [0, 1], beta = 1) in which, from some
                       eps on, no algorithm has a gap of K/((e^eps - 1)^2 n) with probability 7/8 in both.
   regret_not_in_exp:  nor is the second: at every T and every K, from some eps on, every algorithm has in one of two worlds
                       a larger regret, after every possible sequence of labels.
   Line by line: K stands for all that does not depend on eps (beta, B, N_F, coverage, log 1/delta), and may be chosen after n;
       J, the gap and the regret are (1), (2) and (3); labels are Bradley-Terry through randomised response (alpha = keep).
   What it does not say: nothing against Theorems 4.2 and 5.2, nor against Remark 4.4's range eps <= 1
       (see p1_remark_4_4.v, where the two rates are within a factor 4 of each other). *)

Require Import Reals Lra Psatz List Bool.
From Coquelicot Require Import Coquelicot.
Import ListNotations.
Open Scope R_scope.

Definition sigma (x : R) := / (1 + exp (- x)).
Definition keep (eps : R) := exp eps / (1 + exp eps).

(* A world is the reward x of the first response; the second has 0.  A sample is a pair and its private label. *)
Definition sample := (bool * bool * bool)%type.
Definition samples : list sample := list_prod (list_prod [true; false] [true; false]) [true; false].
Definition reward (x : R) (a : bool) : R := if a then x else 0.
Definition private (eps x : R) : R := keep eps * sigma x + (1 - keep eps) * (1 - sigma x).
Definition law (eps x : R) (s : sample) : R :=
  let '(a, a', z) := s in
  let p := private eps (reward x a - reward x a') in / 4 * (if z then p else 1 - p).
Fixpoint sum {A : Type} (l : list A) (f : A -> R) : R :=
  match l with [] => 0 | a :: l' => f a + sum l' f end.
Fixpoint prob (p : sample -> R) (n : nat) (S : list sample -> bool) : R :=
  match n with
  | O => if S [] then 1 else 0
  | Datatypes.S n' => sum samples (fun s => p s * prob p n' (fun d => S (s :: d)))
  end.

(* (1) and (2): a policy is the probability q of the first response. *)
Definition J (beta x q : R) : R :=
  q * x - / beta * (q * ln (q / (1 / 2)) + (1 - q) * ln ((1 - q) / (1 / 2))).
Definition optimal (beta x : R) : R := exp (beta * x) / (exp (beta * x) + 1).
Definition gap (beta x q : R) : R := J beta x (optimal beta x) - J beta x q.
Definition at_most (x eta : R) : bool := if Rle_dec x eta then true else false.

(* A gap of at most eta with probability 7/8 in the worlds h and 0. *)
Definition guarantee (eps h eta : R) (n : nat) : Prop :=
  exists learner : list sample -> R, (forall d, 0 <= learner d <= 1) /\
  forall x, x = h \/ x = 0 -> 7 / 8 <= prob (law eps x) n (fun d => at_most (gap 1 x (learner d)) eta).

(* (3): the first policy is chosen before any label, the others may be anything. *)
Definition regret (x : R) (policies : list R) : R := sum policies (gap 1 x).

Definition gap_not_in_exp : Prop := forall (K : R) (n : nat), (1 <= n)%nat -> exists h eps0 : R, 0 < h <= 1 /\ 0 < eps0 /\
  forall eps, eps0 <= eps -> ~ guarantee eps h (K / ((exp eps - 1) ^ 2 * INR n)) n.

Definition regret_not_in_exp : Prop := forall (K : R) (T : nat), (1 <= T)%nat -> exists eps0 : R, 0 < eps0 /\
  forall eps, eps0 <= eps -> forall first : R, 0 <= first <= 1 -> exists x : R, (x = 1 \/ x = 0) /\
  forall later : list R, (forall q, In q later -> 0 <= q <= 1) -> length (first :: later) = T ->
  K * ln (2 * INR T) / (exp eps - 1) ^ 2 < regret x (first :: later).

(* ---- proofs ---- *)

Lemma ln_ge A : 0 < A -> 1 - / A <= ln A.
Proof. intros H; assert (X := exp_ineq1_le (- ln A)); rewrite exp_Ropp, exp_ln in X by exact H; lra. Qed.

Lemma value beta x : 0 < beta -> J beta x (optimal beta x) = / beta * ln ((exp (beta * x) + 1) / 2).
Proof.
  intros Hb; unfold J, optimal; assert (E : x = / beta * ln (exp (beta * x))) by (rewrite ln_exp; field; lra).
  rewrite E at 3; generalize (exp_pos (beta * x)); generalize (exp (beta * x)); intros e He.
  replace (1 - e / (e + 1)) with (1 / (e + 1)) by (field; lra).
  replace (e / (e + 1) / (1 / 2)) with (e / ((e + 1) / 2)) by (field; lra).
  replace (1 / (e + 1) / (1 / 2)) with (1 / ((e + 1) / 2)) by (field; lra).
  rewrite !ln_div, ln_1 by lra; field; lra.
Qed.

(* Gibbs: no policy has more. *)
Lemma at_best beta x q : 0 < beta -> 0 <= q <= 1 -> J beta x q <= / beta * ln ((exp (beta * x) + 1) / 2).
Proof.
  intros Hb Hq; unfold J; set (e := exp (beta * x)); assert (He : 0 < e) by apply exp_pos.
  assert (E : q * x = / beta * (q * ln e)) by (unfold e; rewrite ln_exp; field; lra).
  rewrite E; set (Z := (e + 1) / 2); assert (HZ : 0 < Z) by (unfold Z; lra).
  assert (G : forall t y, 0 <= t -> 0 < y -> t - y / (e + 1) <= t * (ln Z + ln (t / (1 / 2)) - ln y)).
  { intros t y [Ht|<-] Hy.
    - assert (A := ln_ge (Z * (t / (1 / 2)) / y) ltac:(apply Rdiv_lt_0_compat; nra)).
      rewrite ln_div, ln_mult in A by nra.
      apply Rle_trans with (t * (1 - / (Z * (t / (1 / 2)) / y))); [right; unfold Z; field; lra|apply Rmult_le_compat_l; lra].
    - assert (0 < y / (e + 1)) by (apply Rdiv_lt_0_compat; lra); lra. }
  assert (A := G q e ltac:(lra) He); assert (B := G (1 - q) 1 ltac:(lra) ltac:(lra)); rewrite ln_1 in B.
  assert (S : e / (e + 1) + 1 / (e + 1) = 1) by (field; lra).
  assert (I : 0 < / beta) by now apply Rinv_0_lt_compat.
  rewrite <- Rmult_minus_distr_l; apply Rmult_le_compat_l; lra.
Qed.

Lemma sum_le {A : Type} (l : list A) (f g : A -> R) : (forall a, f a <= g a) -> sum l f <= sum l g.
Proof. intros H; induction l as [|x l IH]; simpl; [lra|specialize (H x); lra]. Qed.

Lemma sum_lin {A : Type} (l : list A) (i j : R) (f g : A -> R) : sum l (fun a => i * f a + j * g a) = i * sum l f + j * sum l g.
Proof. induction l as [|x l IH]; simpl; [ring|rewrite IH; ring]. Qed.

(* Two disjoint events, one for each law: their chances add up to at most 5/2 - affinity^n. *)
Lemma two_laws (p q : sample -> R) : (forall s, 0 <= p s) -> (forall s, 0 <= q s) -> sum samples p = 1 -> sum samples q = 1 ->
  forall n x y (S S' : list sample -> bool), 0 <= x -> 0 <= y -> (forall d, S d && S' d = false) ->
  x * prob p n S + y * prob q n S' <= 5 / 4 * (x + y) - sqrt (x * y) * sum samples (fun s => sqrt (p s * q s)) ^ n.
Proof.
  intros P Q P1 Q1; induction n as [|n IH]; intros x y S S' Hx Hy H; cbn [prob].
  - specialize (H []); rewrite pow_O, Rmult_1_r, sqrt_mult by lra.
    assert (A := sqrt_sqrt x Hx); assert (B := sqrt_sqrt y Hy); assert (A0 := sqrt_pos x); assert (B0 := sqrt_pos y).
    revert A B A0 B0; generalize (sqrt x) (sqrt y); intros a b A B A0 B0; subst x y.
    destruct (S []), (S' []); simpl in H; try discriminate.
    + generalize (pow2_ge_0 (a / 2 - b)); nra.
    + generalize (pow2_ge_0 (b / 2 - a)); nra.
    + generalize (pow2_ge_0 (a - b)); nra.
  - set (A := sum samples (fun s => sqrt (p s * q s))) in *.
    rewrite <- sum_lin.
    apply Rle_trans with (sum samples (fun s => 1 * (5 / 4 * (x * p s + y * q s)) + - (sqrt (x * y) * A ^ n) * sqrt (p s * q s))).
    + apply sum_le; intros s.
      assert (X := IH (x * p s) (y * q s) (fun d => S (s :: d)) (fun d => S' (s :: d))
        (Rmult_le_pos _ _ Hx (P s)) (Rmult_le_pos _ _ Hy (Q s)) (fun d => H (s :: d))).
      replace (x * p s * (y * q s)) with (x * y * (p s * q s)) in X by ring.
      rewrite sqrt_mult in X by (apply Rmult_le_pos; auto); lra.
    + rewrite sum_lin; fold A.
      replace (sum samples (fun s => 5 / 4 * (x * p s + y * q s))) with (5 / 4 * (x + y)).
      * simpl; lra.
      * transitivity (sum samples (fun s => 5 / 4 * x * p s + 5 / 4 * y * q s)).
        -- rewrite sum_lin, P1, Q1; ring.
        -- unfold samples; simpl; ring.
Qed.

Lemma bernoulli h n : 0 <= h <= 1 -> 1 - INR n * h <= (1 - h) ^ n.
Proof.
  intros H; induction n as [|n IH]; [simpl; lra|rewrite S_INR; simpl pow].
  assert (N := pos_INR n); assert ((1 - h) * (1 - INR n * h) <= (1 - h) * (1 - h) ^ n) by (apply Rmult_le_compat_l; lra); nra.
Qed.

Lemma root_gap m p q : 0 < m -> m <= p -> m <= q -> (sqrt p - sqrt q) ^ 2 <= (p - q) ^ 2 / (4 * m).
Proof.
  intros M P Q.
  assert (A := sqrt_sqrt p ltac:(lra)); assert (B := sqrt_sqrt q ltac:(lra)).
  assert (A0 := sqrt_pos p); assert (B0 := sqrt_pos q).
  apply Rmult_le_reg_r with (4 * m); [lra|replace ((p - q) ^ 2 / (4 * m) * (4 * m)) with ((p - q) ^ 2) by (field; lra)].
  revert A B A0 B0; generalize (sqrt p) (sqrt q); intros a b A B A0 B0.
  replace (p - q) with ((a - b) * (a + b)) by (rewrite <- A, <- B; ring).
  rewrite Rpow_mult_distr; apply Rmult_le_compat_l; [apply pow2_ge_0|].
  assert (m <= a * b) by (apply Rsqr_incr_0_var; [unfold Rsqr; replace (a * b * (a * b)) with ((a * a) * (b * b)) by ring; rewrite A, B; nra|nra]).
  nra.
Qed.

Definition least (h : R) : R := ln (1 + (exp (h / 2) - 1) ^ 2 / (exp (h / 2) + 1) ^ 2).

Lemma compromise h q : 0 < h -> 0 <= q <= 1 -> 0 < least h /\ least h <= gap 1 h q + gap 1 0 q.
Proof.
  intros Hh Hq; assert (E := exp_ineq1 (h / 2) ltac:(lra)); set (e := exp (h / 2)) in *.
  assert (Ee : exp h = e * e) by (unfold e; rewrite <- exp_plus; f_equal; field).
  assert (P : 0 < (e - 1) ^ 2 / (e + 1) ^ 2) by (apply Rdiv_lt_0_compat; apply pow_lt; lra).
  unfold least; fold e; split; [rewrite <- ln_1; apply ln_increasing; lra|].
  assert (A := at_best 1 (h / 2) q ltac:(lra) Hq).
  assert (M : J 1 h q + J 1 0 q = 2 * J 1 (h / 2) q) by (unfold J; field).
  unfold gap; rewrite !value by lra; rewrite !Rmult_1_l, exp_0, Ee, Rinv_1, !Rmult_1_l in *; fold e in A.
  replace ((1 + 1) / 2) with 1 by field; rewrite ln_1.
  assert (L : ln (1 + (e - 1) ^ 2 / (e + 1) ^ 2) = ln ((e * e + 1) / 2) - 2 * ln ((e + 1) / 2)); [|lra].
  replace (1 + (e - 1) ^ 2 / (e + 1) ^ 2) with ((e * e + 1) / 2 / ((e + 1) / 2 * ((e + 1) / 2))) by (field; lra).
  rewrite ln_div, (ln_mult ((e + 1) / 2)) by (try apply Rmult_lt_0_compat; nra); ring.
Qed.

Lemma keep_range eps : 0 < eps -> 1 / 2 < keep eps < 1.
Proof.
  intros He; assert (E : 1 < exp eps) by (rewrite <- exp_0; apply exp_increasing, He); unfold keep; split.
  - apply Rmult_lt_reg_r with (1 + exp eps); [lra|]; replace (exp eps / (1 + exp eps) * (1 + exp eps)) with (exp eps) by (field; lra); lra.
  - apply Rmult_lt_reg_r with (1 + exp eps); [lra|]; replace (exp eps / (1 + exp eps) * (1 + exp eps)) with (exp eps) by (field; lra); lra.
Qed.

Lemma sigma_near h : 0 < h <= 1 -> 1 / 2 < sigma h <= 3 / 4 /\ sigma h - 1 / 2 <= h / 2.
Proof.
  intros H; unfold sigma; assert (P := exp_pos (- h)); assert (L := exp_ineq1_le (- h)).
  assert (U : exp (- h) < 1) by (rewrite <- exp_0; apply exp_increasing; lra).
  assert (T : 1 / 3 <= exp (- h)).
  { apply Rle_trans with (exp (Ropp 1)); [|destruct (Req_dec h 1) as [->|]; [right; reflexivity|left; apply exp_increasing; lra]].
    rewrite exp_Ropp; replace (1 / 3) with (/ 3) by field; apply Rinv_le_contravar; [apply exp_pos|apply exp_le_3]. }
  replace (/ (1 + exp (- h)) - 1 / 2) with ((1 - exp (- h)) / (2 * (1 + exp (- h)))) by (field; lra); split; [split|].
  - replace (1 / 2) with (/ 2) by field; apply Rinv_lt_contravar; lra.
  - replace (3 / 4) with (/ (4 / 3)) by field; apply Rinv_le_contravar; lra.
  - apply Rmult_le_reg_r with (2 * (1 + exp (- h))); [lra|]; unfold Rdiv at 1; rewrite Rmult_assoc, Rinv_l by lra; nra.
Qed.

Lemma sigma_opp x : sigma (- x) = 1 - sigma x.
Proof. unfold sigma; rewrite Ropp_involutive, exp_Ropp; generalize (exp_pos x); intro; field; lra. Qed.

Lemma sigma_0 : sigma 0 = 1 / 2.
Proof. unfold sigma; rewrite Ropp_0, exp_0; field. Qed.

Lemma law_is eps x : 0 < eps -> (forall s, 0 <= law eps x s) /\ sum samples (law eps x) = 1.
Proof.
  intros He; assert (K := keep_range eps He); split.
  - intros [[a a'] z]; unfold law, private; assert (X : 0 < sigma (reward x a - reward x a') < 1).
    { unfold sigma; generalize (exp_pos (- (reward x a - reward x a'))); intro; split; [apply Rinv_0_lt_compat; lra|rewrite <- Rinv_1; apply Rinv_lt_contravar; lra]. }
    destruct z; nra.
  - unfold samples, law; simpl; field.
Qed.

Lemma affinity eps h : 0 < eps -> 0 < h <= 1 -> 1 - h ^ 2 / 8 <= sum samples (fun s => sqrt (law eps h s * law eps 0 s)).
Proof.
  intros He Hh; assert (K := keep_range eps He); destruct (sigma_near h Hh) as [S1 S2].
  set (p := private eps h); assert (P : 1 / 4 <= p <= 3 / 4 /\ 0 <= p - 1 / 2 <= h / 2).
  { unfold p, private; replace (keep eps * sigma h + (1 - keep eps) * (1 - sigma h)) with (1 / 2 + (2 * keep eps - 1) * (sigma h - 1 / 2)) by field; repeat split; nra. }
  assert (E0 : private eps 0 = 1 / 2) by (unfold private; rewrite sigma_0; field).
  assert (Em : private eps (- h) = 1 - p) by (unfold p, private; rewrite sigma_opp; ring).
  assert (Q : forall u v, 0 <= u -> 0 <= v -> sqrt (/ 4 * u * (/ 4 * v)) = / 4 * sqrt (u * v)).
  { intros u v Hu Hv; replace (/ 4 * u * (/ 4 * v)) with ((/ 4 * / 4) * (u * v)) by ring.
    rewrite sqrt_mult_alt by lra; rewrite sqrt_square by lra; reflexivity. }
  assert (H : sum samples (fun s => sqrt (law eps h s * law eps 0 s)) = 1 / 2 + 1 / 2 * (sqrt (p * (1 / 2)) + sqrt ((1 - p) * (1 / 2)))).
  { unfold samples, law; cbn [list_prod map app sum reward].
    rewrite !Rminus_0_r, !Rminus_eq_0; replace (0 - h) with (- h) by ring; replace (0 - 0) with 0 by ring; rewrite E0, Em; fold p.
    replace (1 - 1 / 2) with (1 / 2) by field; replace (1 - (1 - p)) with p by ring; rewrite !Q by lra.
    rewrite (sqrt_square (1 / 2)) by lra; field. }
  rewrite H; assert (G1 := root_gap (1 / 4) p (1 / 2) ltac:(lra) ltac:(lra) ltac:(lra)).
  assert (G2 := root_gap (1 / 4) (1 - p) (1 / 2) ltac:(lra) ltac:(lra) ltac:(lra)).
  rewrite (sqrt_mult p), (sqrt_mult (1 - p)) by lra.
  assert (A1 := sqrt_sqrt p ltac:(lra)); assert (A2 := sqrt_sqrt (1 / 2) ltac:(lra)); assert (A3 := sqrt_sqrt (1 - p) ltac:(lra)).
  assert (D : (p - 1 / 2) ^ 2 <= h ^ 2 / 4) by nra.
  assert (D' : (1 - p - 1 / 2) ^ 2 <= h ^ 2 / 4) by (apply Rle_trans with (2 := D); right; field).
  replace (4 * (1 / 4)) with 1 in G1 by field; replace (4 * (1 / 4)) with 1 in G2 by field; rewrite Rdiv_1 in G1, G2; nra.
Qed.

(* (e^eps - 1)^2 grows without end *)
Lemma far K eta : 0 < eta -> exists eps0, 0 < eps0 /\ forall eps, eps0 <= eps -> K / (exp eps - 1) ^ 2 < eta.
Proof.
  intros He; assert (A := Rabs_pos K); assert (Q : 0 <= Rabs K / eta) by (apply Rdiv_le_0_compat; lra).
  exists (1 + Rabs K / eta); split; [lra|intros eps H]; assert (E := exp_ineq1_le eps).
  assert (B : 1 + Rabs K / eta <= (exp eps - 1) ^ 2) by nra.
  apply Rmult_lt_reg_r with ((exp eps - 1) ^ 2); [lra|].
  replace (K / (exp eps - 1) ^ 2 * (exp eps - 1) ^ 2) with K by (field; nra).
  apply Rle_lt_trans with (1 := Rle_abs K); apply Rlt_le_trans with (eta * (1 + Rabs K / eta)); [|apply Rmult_le_compat_l; lra].
  replace (eta * (1 + Rabs K / eta)) with (eta + Rabs K) by (field; lra); lra.
Qed.

Theorem gap_not_in_exp_holds : gap_not_in_exp.
Proof.
  intros K n Hn; assert (N : 1 <= INR n) by (apply (le_INR 1); exact Hn); set (h := / INR n).
  assert (H : 0 < h <= 1) by (unfold h; split; [apply Rinv_0_lt_compat; lra|rewrite <- Rinv_1; apply Rinv_le_contravar; lra]).
  destruct (compromise h 0 ltac:(lra) ltac:(lra)) as [L _].
  destruct (far (K / INR n) (least h / 2) ltac:(lra)) as [eps0 [E0 F]]; exists h, eps0; split; [exact H|split; [exact E0|]].
  intros eps He [learner [Hl G]]; specialize (F eps He).
  assert (Ee := exp_ineq1 eps ltac:(lra)).
  replace (K / ((exp eps - 1) ^ 2 * INR n)) with (K / INR n / (exp eps - 1) ^ 2) in G by (field; split; lra).
  set (eta := K / INR n / (exp eps - 1) ^ 2) in *.
  assert (G1 := G h (or_introl eq_refl)); assert (G2 := G 0 (or_intror eq_refl)); clear G.
  destruct (law_is eps h ltac:(lra)) as [P P1]; destruct (law_is eps 0 ltac:(lra)) as [Q Q1].
  assert (Dis : forall d, at_most (gap 1 h (learner d)) eta && at_most (gap 1 0 (learner d)) eta = false).
  { intros d; unfold at_most; destruct (compromise h (learner d) ltac:(lra) (Hl d)) as [_ C].
    destruct (Rle_dec _ _) as [X|]; [|reflexivity]; destruct (Rle_dec _ _) as [Y|]; [exfalso; lra|reflexivity]. }
  assert (T := two_laws _ _ P Q P1 Q1 n 1 1 _ _ ltac:(lra) ltac:(lra) Dis).
  rewrite !Rmult_1_l, sqrt_1, Rmult_1_l in T.
  assert (Af := affinity eps h ltac:(lra) H); assert (Be := bernoulli (h ^ 2 / 8) n ltac:(split; nra)).
  assert (Pw : (1 - h ^ 2 / 8) ^ n <= sum samples (fun s0 => sqrt (law eps h s0 * law eps 0 s0)) ^ n) by (apply pow_incr; split; nra).
  assert (Nh : INR n * (h ^ 2 / 8) <= 1 / 8).
  { replace (INR n * (h ^ 2 / 8)) with (h / 8) by (unfold h; field; lra); lra. }
  lra.
Qed.

Lemma gap_pos x q : 0 <= q <= 1 -> 0 <= gap 1 x q.
Proof. intros H; unfold gap; rewrite value by lra; assert (A := at_best 1 x q ltac:(lra) H); lra. Qed.

Theorem regret_not_in_exp_holds : regret_not_in_exp.
Proof.
  intros K T _; destruct (compromise 1 0 ltac:(lra) ltac:(lra)) as [L _].
  destruct (far (K * ln (2 * INR T)) (least 1 / 2) ltac:(lra)) as [eps0 [E0 F]]; exists eps0; split; [exact E0|].
  intros eps He q Hq; specialize (F eps He); destruct (compromise 1 q ltac:(lra) Hq) as [_ C].
  assert (Rest : forall x later, (forall q, In q later -> 0 <= q <= 1) -> 0 <= sum later (gap 1 x)).
  { intros x later; induction later as [|p later IH]; cbn [sum]; intros Hp; [lra|].
    assert (A := gap_pos x p (Hp p (or_introl eq_refl))); assert (B := IH (fun r I => Hp r (or_intror I))); lra. }
  destruct (Rle_or_lt (least 1 / 2) (gap 1 1 q)) as [X|X].
  - exists 1; split; [now left|intros later Hp _; unfold regret; cbn [sum]; generalize (Rest 1 later Hp); lra].
  - exists 0; split; [now right|intros later Hp _; unfold regret; cbn [sum]; generalize (Rest 0 later Hp); lra].
Qed.

Print Assumptions gap_not_in_exp_holds.
Print Assumptions regret_not_in_exp_holds.
