(* P1 (arXiv 2510.13512), Theorem 4.2: "for eps > 0, beta > 0 and a sufficiently small tau in (0, 1), with probability at least
   1 - delta, the suboptimality gap of the output of Algorithm 1 is of the order of
       beta D_pi*^2 e^B/(2 alpha - 1)^2 (log(N_F(tau)/delta)/n + tau)".

   factor_false:  at every fixed eps no algorithm whatever has such a gap with the factor e^B: whatever the constant K, for every B
                  from some B0 on there are a beta and a number n of pairs such that a gap of K beta e^B/((2 alpha-1)^2 n) with
                  probability 7/8 in both of two worlds is impossible.
   D2_is_1:       in these worlds D^2 = 1 at either response (Definition 3.2 with b(s) the mean of g - h under pi_ref).
   The two worlds: one state, two responses, pi_ref even, F = {(B, 0), (B-1, 0)}, rewards in [0, B] (Assumption 3.8), labels
   Bradley-Terry (Assumption 3.7) through randomised response.  Their private labels are apart by e^(-2B) in affinity, so that
   n of the order e^(2B) is needed.
   Line by line: N_F(tau) = 2 for every tau < 1, so that tau may be as small as one likes and log(N_F/delta) is a constant, part of
       K; delta = 1/8; beta = 1/B; the learner is any function of the n pairs and private labels to a policy.
   What it does not say: nothing at fixed B as n, eps, beta vary (there the rate holds); nothing where eps is above B; and beta B = 1
       here: at fixed coverage and beta above 2 the price of B is another one. *)

Require Import Reals Lra Psatz List Bool.
From Coquelicot Require Import Coquelicot.
Import ListNotations.
Open Scope R_scope.

Definition sigma (x : R) := / (1 + exp (- x)).
Definition keep (eps : R) := exp eps / (1 + exp eps).

(* A world is the reward x of the first response; the second has 0. *)
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

(* J(pi) = E r - KL(pi || pi_ref)/beta for the policy that takes the first response with probability q. *)
Definition J (beta x q : R) : R :=
  q * x - / beta * (q * ln (q / (1 / 2)) + (1 - q) * ln ((1 - q) / (1 / 2))).
Definition optimal (beta x : R) : R := exp (beta * x) / (exp (beta * x) + 1).
Definition gap (beta x q : R) : R := J beta x (optimal beta x) - J beta x q.
Definition at_most (x eta : R) : bool := if Rle_dec x eta then true else false.
Definition guarantee (B beta eps delta eta : R) (n : nat) :=
  exists learner : list sample -> R, (forall d, 0 <= learner d <= 1) /\
  forall x, x = B \/ x = B - 1 ->
  1 - delta <= prob (law eps x) n (fun d => at_most (gap beta x (learner d)) eta).

(* Definition 3.2 with b(s) the mean of g - h under pi_ref: D^2 = 1 at either response. *)
Definition D2_is_1 : Prop := forall B (a : bool), let d := fun a => reward B a - reward (B - 1) a in
  let b := (d true + d false) / 2 in
  (d a - b) ^ 2 / (((d true - b) ^ 2 + (d false - b) ^ 2) / 2) = 1.

Definition factor_false : Prop := forall eps K : R, 0 < eps -> 0 < K ->
  exists B0, forall B, B0 <= B -> exists n : nat, (0 < n)%nat /\
  ~ guarantee B (/ B) eps (1 / 8) (K * / B * exp B / ((2 * keep eps - 1) ^ 2 * INR n)) n.

(* ---- proofs ---- *)

Theorem D2_is_1_holds : D2_is_1.
Proof.
  intros B a d b; assert (T : d true = 1) by (unfold d, reward; ring); assert (F : d false = 0) by (unfold d, reward; ring).
  unfold b; destruct a; rewrite T, F; field.
Qed.

(* ---- what a policy loses ---- *)

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

Lemma square_le_cosh h : h ^ 2 <= exp h + exp (- h) - 2.
Proof.
  assert (G : forall t, 0 <= t -> 2 * t <= exp t - exp (- t)).
  { intros t [H|<-]; [|rewrite Ropp_0, exp_0; lra].
    destruct (MVT_cor2 (fun x => exp x - exp (- x) - 2 * x) (fun c => exp c + exp (- c) - 2) 0 t H) as [z [E _]].
    - intros z _; apply is_derive_Reals; auto_derive; [trivial|ring].
    - rewrite Ropp_0, exp_0 in E; assert (P : 0 <= exp z + exp (- z) - 2).
      { rewrite exp_Ropp; generalize (exp_pos z); generalize (exp z); intros e He.
        replace (e + / e - 2) with ((e - 1) ^ 2 * / e) by (field; lra).
        apply Rmult_le_pos; [apply pow2_ge_0|left; now apply Rinv_0_lt_compat]. }
      nra. }
  assert (K : forall h, 0 <= h -> h ^ 2 <= exp h + exp (- h) - 2).
  { intros t Ht; assert (S := G (t / 2) ltac:(lra)).
    replace (exp t) with (exp (t / 2) * exp (t / 2)) by (rewrite <- exp_plus; f_equal; field).
    replace (exp (- t)) with (exp (- (t / 2)) * exp (- (t / 2))) by (rewrite <- exp_plus; f_equal; field).
    assert (P : exp (t / 2) * exp (- (t / 2)) = 1) by (rewrite <- exp_plus, <- exp_0; f_equal; field); nra. }
  destruct (Rle_or_lt 0 h) as [H|H]; [now apply K|].
  assert (X := K (- h) ltac:(lra)); rewrite Ropp_involutive in X; nra.
Qed.

Lemma compromise B q : 1 <= B -> 0 <= q <= 1 -> / B / 25 <= gap (/ B) B q + gap (/ B) (B - 1) q.
Proof.
  intros HB Hq; set (beta := / B); assert (b0 : 0 < beta <= 1).
  { unfold beta; split; [apply Rinv_0_lt_compat; lra|rewrite <- Rinv_1; apply Rinv_le_contravar; lra]. }
  unfold gap; rewrite !value by lra.
  assert (A := at_best beta (B - 1 / 2) q ltac:(lra) Hq).
  assert (M : J beta B q + J beta (B - 1) q = 2 * J beta (B - 1 / 2) q) by (unfold J; field; lra).
  assert (bB : beta * B = 1) by (unfold beta; field; lra).
  set (z := beta * (B - 1 / 2)); set (h := beta / 2).
  assert (E1 : exp (beta * B) = exp z * exp h) by (unfold z, h; rewrite <- exp_plus; f_equal; field).
  assert (E2 : exp (beta * (B - 1)) = exp z * exp (- h)) by (unfold z, h; rewrite <- exp_plus; f_equal; field).
  fold z in A; rewrite E1, E2; assert (C := square_le_cosh h).
  assert (Z : exp z <= 3) by (apply Rle_trans with (2 := exp_le_3); left; apply exp_increasing; unfold z; lra).
  assert (Z1 : 1 <= exp z) by (assert (X := exp_ineq1_le z); assert (0 <= z) by (unfold z; nra); lra).
  assert (H2 : h ^ 2 = beta ^ 2 / 4) by (unfold h; field).
  generalize (exp_pos h) (exp_pos (- h)); intros P1 P2; assert (PQ : exp h * exp (- h) = 1) by (rewrite <- exp_plus, <- exp_0; f_equal; ring).
  revert A C Z Z1 P1 P2 PQ; generalize (exp z) (exp h) (exp (- h)); intros e r t A C Z Z1 P1 P2 PQ.
  assert (L : beta ^ 2 / 25 <= ln ((e * r + 1) / 2) + ln ((e * t + 1) / 2) - 2 * ln ((e + 1) / 2)).
  { set (y := e * (r + t - 2) / (e + 1) ^ 2).
    assert (e2 : 0 < (e + 1) ^ 2) by (apply pow_lt; lra).
    assert (Y : beta ^ 2 / 24 <= y).
    { unfold y; apply Rmult_le_reg_r with ((e + 1) ^ 2); [exact e2|].
      replace (e * (r + t - 2) / (e + 1) ^ 2 * (e + 1) ^ 2) with (e * (r + t - 2)) by (field; lra).
      assert (Q : (e + 1) ^ 2 <= 6 * e) by nra; assert (b2 : 0 <= beta ^ 2) by apply pow2_ge_0.
      apply Rle_trans with (beta ^ 2 / 24 * (6 * e)); [apply Rmult_le_compat_l; lra|].
      replace (beta ^ 2 / 24 * (6 * e)) with (e * (beta ^ 2 / 4)) by field; apply Rmult_le_compat_l; lra. }
    assert (b2 : 0 < beta ^ 2 <= 1) by nra.
    replace (ln ((e * r + 1) / 2) + ln ((e * t + 1) / 2) - 2 * ln ((e + 1) / 2)) with (ln (1 + y)).
    - apply Rle_trans with (1 - / (1 + y)); [|apply ln_ge; lra].
      assert (/ (1 + y) <= / (1 + beta ^ 2 / 24)) by (apply Rinv_le_contravar; lra).
      assert (/ (1 + beta ^ 2 / 24) <= 1 - beta ^ 2 / 25); [|lra].
      apply Rmult_le_reg_r with (1 + beta ^ 2 / 24); [lra|rewrite Rinv_l by lra; nra].
    - replace (1 + y) with ((e * r + 1) / 2 * ((e * t + 1) / 2) / ((e + 1) / 2 * ((e + 1) / 2))).
      + assert (0 < e * r) by nra; assert (0 < e * t) by nra.
        rewrite ln_div, !ln_mult by (try apply Rmult_lt_0_compat; lra); ring.
      + unfold y; replace ((e * r + 1) / 2 * ((e * t + 1) / 2)) with ((e * e * (r * t) + e * (r + t) + 1) / 4) by field.
        rewrite PQ; field; lra. }
  assert (I : 0 < / beta) by (apply Rinv_0_lt_compat; lra).
  assert (F : / beta * (beta ^ 2 / 25) = beta / 25) by (field; lra).
  apply Rmult_le_compat_l with (r := / beta) in L; [|lra]; lra.
Qed.

(* ---- what n labels tell ---- *)

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

Lemma sigma_range x : 0 < sigma x < 1.
Proof.
  unfold sigma; generalize (exp_pos (- x)); intro H; split; [apply Rinv_0_lt_compat; lra|].
  rewrite <- Rinv_1; apply Rinv_lt_contravar; lra.
Qed.

Lemma sigma_opp x : sigma (- x) = 1 - sigma x.
Proof. unfold sigma; rewrite Ropp_involutive, exp_Ropp; generalize (exp_pos x); intro; field; lra. Qed.

(* The win rates of the two worlds are within 3 e^-B. *)
Lemma close B : 0 <= sigma B - sigma (B - 1) <= 3 * exp (- B).
Proof.
  unfold sigma; replace (- (B - 1)) with (- B + 1) by ring; rewrite exp_plus.
  assert (E := exp_le_3); assert (E1 := exp_ineq1_le 1); generalize (exp_pos (- B)); generalize (exp (- B)) (exp 1) E E1; intros b e Le L1 Hb.
  replace (/ (1 + b) - / (1 + b * e)) with (b * (e - 1) * / ((1 + b) * (1 + b * e))) by (field; nra).
  assert (D : 1 <= (1 + b) * (1 + b * e)) by nra.
  assert (I : 0 < / ((1 + b) * (1 + b * e)) <= 1) by (split; [apply Rinv_0_lt_compat; lra|rewrite <- Rinv_1; apply Rinv_le_contravar; lra]).
  split; [apply Rmult_le_pos; nra|].
  apply Rle_trans with (b * (e - 1) * 1); [apply Rmult_le_compat_l; nra|nra].
Qed.

Lemma keep_range eps : 0 < eps -> 1 / 2 < keep eps < 1.
Proof.
  intros He; assert (E : 1 < exp eps) by (rewrite <- exp_0; apply exp_increasing, He); unfold keep; split;
    apply Rmult_lt_reg_r with (1 + exp eps); try lra; replace (exp eps / (1 + exp eps) * (1 + exp eps)) with (exp eps) by (field; lra); lra.
Qed.

Lemma affinity B eps : 0 < eps -> 0 <= B ->
  1 - 9 * (2 * keep eps - 1) ^ 2 * exp (- B) ^ 2 / (8 * (1 - keep eps))
  <= sum samples (fun s => sqrt (law eps B s * law eps (B - 1) s)).
Proof.
  intros He HB; assert (K := keep_range eps He); set (a := keep eps) in *.
  set (p := private eps B); set (q := private eps (B - 1)).
  assert (Rp : forall x, 1 - a <= private eps x <= a) by (intros x; unfold private; fold a; assert (S := sigma_range x); nra).
  assert (Op : forall x, private eps (- x) = 1 - private eps x) by (intros x; unfold private; rewrite sigma_opp; ring).
  assert (S : sum samples (fun s => sqrt (law eps B s * law eps (B - 1) s)) = 1 / 2 + (sqrt (p * q) + sqrt ((1 - p) * (1 - q))) / 2).
  { assert (F : forall x y, 0 <= x -> 0 <= y -> sqrt (/ 4 * x * (/ 4 * y)) = sqrt (x * y) / 4).
    { intros x y X Y; replace (/ 4 * x * (/ 4 * y)) with (x * y * Rsqr (/ 4)) by (unfold Rsqr; ring).
      rewrite sqrt_mult by (try apply Rle_0_sqr; now apply Rmult_le_pos); rewrite sqrt_Rsqr by lra; field. }
    assert (Pp := Rp B); assert (Pq := Rp (B - 1)); fold p in Pp; fold q in Pq; assert (P0 := Rp 0).
    assert (H0 : private eps 0 = 1 / 2) by (assert (X := Op 0); rewrite Ropp_0 in X; lra).
    unfold samples; cbn [list_prod map app sum]; unfold law, reward; rewrite !Rminus_0_r.
    replace (0 - B) with (- B) by ring; replace (0 - (B - 1)) with (- (B - 1)) by ring.
    rewrite !Rminus_eq_0, H0, !Op; fold p q; rewrite !F by lra.
    replace (1 - (1 - p)) with p by ring; replace (1 - (1 - q)) with q by ring.
    replace (1 - 1 / 2) with (1 / 2) by field; rewrite (sqrt_square (1 / 2)) by lra; field. }
  rewrite S; assert (Pp := Rp B); assert (Pq := Rp (B - 1)); fold p in Pp; fold q in Pq.
  assert (G1 := root_gap (1 - a) p q ltac:(lra) ltac:(lra) ltac:(lra)).
  assert (G2 := root_gap (1 - a) (1 - p) (1 - q) ltac:(lra) ltac:(lra) ltac:(lra)).
  replace ((1 - p - (1 - q)) ^ 2) with ((p - q) ^ 2) in G2 by ring.
  rewrite (sqrt_mult p q), (sqrt_mult (1 - p) (1 - q)) by lra.
  assert (A1 := sqrt_sqrt p ltac:(lra)); assert (A2 := sqrt_sqrt q ltac:(lra)).
  assert (A3 := sqrt_sqrt (1 - p) ltac:(lra)); assert (A4 := sqrt_sqrt (1 - q) ltac:(lra)).
  assert (C := close B).
  assert (D : (p - q) ^ 2 <= 9 * (2 * a - 1) ^ 2 * exp (- B) ^ 2).
  { replace (p - q) with ((2 * a - 1) * (sigma B - sigma (B - 1))) by (unfold p, q, private; fold a; ring).
    rewrite Rpow_mult_distr; replace (9 * (2 * a - 1) ^ 2 * exp (- B) ^ 2) with ((2 * a - 1) ^ 2 * (3 * exp (- B)) ^ 2) by ring.
    apply Rmult_le_compat_l; [apply pow2_ge_0|apply pow_incr; exact C]. }
  assert (D' : (p - q) ^ 2 / (4 * (1 - a)) <= 2 * (9 * (2 * a - 1) ^ 2 * exp (- B) ^ 2 / (8 * (1 - a)))).
  { apply Rmult_le_reg_r with (4 * (1 - a)); [lra|].
    replace ((p - q) ^ 2 / (4 * (1 - a)) * (4 * (1 - a))) with ((p - q) ^ 2) by (field; lra).
    replace (2 * (9 * (2 * a - 1) ^ 2 * exp (- B) ^ 2 / (8 * (1 - a))) * (4 * (1 - a))) with (9 * (2 * a - 1) ^ 2 * exp (- B) ^ 2) by (field; lra); exact D. }
  nra.
Qed.

Lemma law_is eps x : 0 < eps -> (forall s, 0 <= law eps x s) /\ sum samples (law eps x) = 1.
Proof.
  intros He; assert (K := keep_range eps He); split.
  - intros [[a a'] z]; unfold law, private; assert (X := sigma_range (reward x a - reward x a')); destruct z; nra.
  - unfold samples, law; simpl; field.
Qed.

Theorem factor_false_holds : factor_false.
Proof.
  intros eps K He HK; assert (Ka := keep_range eps He); set (a := keep eps) in *.
  exists ((1000 * K + 20) / (1 - a)); intros B HB.
  assert (HB' : 1000 * K + 20 <= B * (1 - a)).
  { apply Rmult_le_compat_r with (r := 1 - a) in HB; [|lra].
    replace ((1000 * K + 20) / (1 - a) * (1 - a)) with (1000 * K + 20) in HB by (field; lra); exact HB. }
  assert (B1 : 20 <= B) by nra; assert (Eb := exp_ineq1_le B).
  set (e := exp B) in *; assert (e0 : 0 < e) by (unfold e; apply exp_pos).
  set (s := 2 * a - 1) in *; assert (s0 : 0 < s <= 1) by (unfold s; lra).
  set (h := 9 * s ^ 2 * (/ e) ^ 2 / (8 * (1 - a))).
  assert (s2 : 0 < s ^ 2 <= 1) by nra.
  assert (ie : 0 < / e) by now apply Rinv_0_lt_compat.
  assert (h0 : 0 < h) by (unfold h; apply Rdiv_lt_0_compat; [repeat apply Rmult_lt_0_compat; try apply pow_lt; lra|lra]).
  assert (ih : / h = 8 * (1 - a) * e ^ 2 / (9 * s ^ 2)) by (unfold h; field; repeat split; lra).
  assert (big1 : 1000 * K + 20 <= (1 - a) * e) by (assert ((1 - a) * B <= (1 - a) * e) by (apply Rmult_le_compat_l; lra); lra).
  (* n = floor(1/(8h)), at least 1/(16h) *)
  assert (big : 2 <= / h / 8).
  { rewrite ih; apply Rmult_le_reg_r with (9 * s ^ 2); [lra|].
    replace (8 * (1 - a) * e ^ 2 / (9 * s ^ 2) / 8 * (9 * s ^ 2)) with ((1 - a) * e ^ 2) by (field; lra).
    assert (20 * e <= (1 - a) * e * e) by (apply Rmult_le_compat_r; lra).
    replace ((1 - a) * e ^ 2) with ((1 - a) * e * e) by ring; lra. }
  destruct (nfloor_ex (/ h / 8) ltac:(lra)) as [n [N1 N2]]; exists n.
  assert (n1 : 1 < INR n) by lra.
  split; [apply INR_lt; simpl; lra|intros [learner [Hl G]]].
  assert (G1 := G B (or_introl eq_refl)); assert (G2 := G (B - 1) (or_intror eq_refl)); clear G.
  fold a s in G1, G2; set (eta := K * / B * e / (s ^ 2 * INR n)) in *.
  destruct (law_is eps B He) as [P P1]; destruct (law_is eps (B - 1) He) as [Q Q1].
  assert (Small : 2 * eta < / B / 25).
  { assert (iB : 0 < / B) by (apply Rinv_0_lt_compat; lra).
    assert (Nn : / h / 16 <= INR n) by lra; rewrite ih in Nn.
    unfold eta; apply Rmult_lt_reg_r with (s ^ 2 * INR n); [nra|].
    replace (2 * (K * / B * e / (s ^ 2 * INR n)) * (s ^ 2 * INR n)) with (/ B * (2 * K * e)) by (field; lra).
    replace (/ B / 25 * (s ^ 2 * INR n)) with (/ B * (s ^ 2 * INR n / 25)) by (field; lra).
    apply Rmult_lt_compat_l; [exact iB|].
    assert (X : (1 - a) * e ^ 2 / 18 <= s ^ 2 * INR n).
    { apply Rle_trans with (s ^ 2 * (8 * (1 - a) * e ^ 2 / (9 * s ^ 2) / 16)); [right; field; lra|apply Rmult_le_compat_l; lra]. }
    assert (Y : 1000 * K * e < (1 - a) * e * e) by (apply Rmult_lt_compat_r; lra).
    replace ((1 - a) * e ^ 2 / 18) with ((1 - a) * e * e / 18) in X by field.
    set (t := s ^ 2 * INR n) in *; set (v := K * e) in *; replace (1000 * K * e) with (1000 * v) in Y by (unfold v; ring).
    assert (0 < v) by (unfold v; apply Rmult_lt_0_compat; lra).
    replace (2 * K * e) with (2 * v) by (unfold v; ring); lra. }
  assert (Dis : forall d, at_most (gap (/ B) B (learner d)) eta && at_most (gap (/ B) (B - 1) (learner d)) eta = false).
  { intros d; unfold at_most; assert (C := compromise B (learner d) ltac:(lra) (Hl d)).
    destruct (Rle_dec _ _) as [X|]; [|reflexivity]; destruct (Rle_dec _ _) as [Y|]; [exfalso; lra|reflexivity]. }
  assert (T := two_laws _ _ P Q P1 Q1 n 1 1 _ _ ltac:(lra) ltac:(lra) Dis).
  rewrite !Rmult_1_l, sqrt_1, Rmult_1_l in T.
  assert (Af := affinity B eps He ltac:(lra)); fold a s in Af; rewrite exp_Ropp in Af; fold e h in Af.
  assert (h1 : h <= / 16).
  { assert (h * (/ h / 8) = / 8) by (field; lra); nra. }
  assert (Pw : (1 - h) ^ n <= sum samples (fun s0 => sqrt (law eps B s0 * law eps (B - 1) s0)) ^ n) by (apply pow_incr; lra).
  assert (Be := bernoulli h n ltac:(lra)).
  assert (Nh : INR n * h <= / 8).
  { apply Rle_trans with (/ h / 8 * h); [apply Rmult_le_compat_r; lra|right; field; lra]. }
  lra.
Qed.

Print Assumptions D2_is_1_holds.
Print Assumptions factor_false_holds.
