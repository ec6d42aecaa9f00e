(* P3, Lemma A.10 and Theorem 4.1 (and B.6, 4.3, C.6, 5.1): the release of Algorithm 1 is not private, by its ridge.

   The paper (Algorithm 1): b ~ N(0, sigma^2)^d with sigma^2 = 40 L^2 log(1/delta)/eps^2, w ~ N(0, nu^2)^d with
   nu^2 = 40 beta log(1/delta)/(alpha eps^2), alpha = 2 C gamma sqrt(d log(1/delta) log(1/eta))/(eps n),
   gamma = 1/(2 + exp(2LB) + exp(-2LB)); theta^ is, within 0 < beta < 1/n of the least value, a minimiser over Theta_B of
       ell_D(theta) + alpha ||theta||^2 + <b, theta>/n,        and theta~ = theta^ + w.
   Lemma A.10: (eps/2, delta/2)-private.  Theorem 4.1: with Sigma~_D of Algorithm 2 it is (eps, delta)-private.

   algorithm_1_not_private: whatever the constant C, for eps <= 1, delta <= eps^2/(2500 s), at every bound B from some B0 on
       and every beta below some beta0, the pair (theta~, Sigma~) is not (eps, delta)-private in dimension d = 1, both
       if neighbours differ by one record replaced and if they differ by one record added or removed (Definition 2.2
       writes ||D - D'||_1 <= 1); s is the printed 40 or any other constant >= 1, so that constant factors change nothing.
       Lemma A.10, which claims (eps/2, delta/2) of theta~ alone, claims more: lemma_A_10_stronger.
   Line by line: Sigma~ may be anything (no law of it is used); of w no more than Chebyshev's inequality is used, no
       normality and no independence; the solver is the exact one, which Algorithm 1 allows; beta0 depends on n, B, delta.
       K = 2 of Theorem 4.3 and H = 1 of Theorem 5.1 are this loss and this covariance, and "a constant factor"
       (depending on K or H) is C and s.  Not used: delta <= 1/n^2 (it may be added: n is free), labels drawn from a model.
   What it does not say: nothing at small L B (there the noise, not the ridge, is too small: under replacement, d >= 2); no
       dimension above 1; no number B0 is optimised. *)

Require Import Reals Lra Psatz List.
From Coquelicot Require Import Coquelicot.
Import ListNotations.
Open Scope R_scope.

(* ---- probability ---- *)

Record probability {Omega : Type} (P : (Omega -> Prop) -> R) : Prop := {
  nonnegative : forall S, 0 <= P S;
  whole : P (fun _ => True) = 1;
  monotone : forall S T : Omega -> Prop, (forall o, S o -> T o) -> P S <= P T;
  additive : forall S T : Omega -> Prop, (forall o, S o -> T o -> False) -> P (fun o => S o \/ T o) = P S + P T
}.

Definition density (s x : R) : R := / (s * sqrt (2 * PI)) * exp (- (x / s) ^ 2 / 2).
Definition normal {Omega : Type} (P : (Omega -> Prop) -> R) (b : Omega -> R) (s : R) : Prop :=
  forall u v : R, u <= v -> P (fun o => u <= b o <= v) = RInt (density s) u v.
Definition chebyshev {Omega : Type} (P : (Omega -> Prop) -> R) (w : Omega -> R) (variance : R) : Prop :=
  forall h : R, 0 < h -> P (fun o => h < Rabs (w o)) <= variance / h ^ 2.

(* ---- Algorithm 1 in dimension 1 ---- *)

(* A record is x = phi(s, a_1) - phi(s, a_0) with |phi| <= L, and whether y = 1. *)
Notation item := (R * bool)%type.

Definition valid (L : R) (D : list item) : Prop := forall r, In r D -> Rabs (fst r) <= 2 * L.
Definition sigmoid (t : R) : R := 1 / (1 + exp (- t)).
Definition ell (D : list item) (theta : R) : R := - / INR (length D) *
  fold_right (fun (r : item) s => ln (if snd r then sigmoid (theta * fst r) else 1 - sigmoid (theta * fst r)) + s) 0 D.
Definition objective (alpha b : R) (D : list item) (theta : R) : R := ell D theta + alpha * theta ^ 2 + b * theta / INR (length D).
Definition solves (B : R) (alpha : nat -> R) (solver : list item -> R -> R) : Prop := forall D b, - B <= solver D b <= B /\
  forall theta, - B <= theta <= B -> objective (alpha (length D)) b D (solver D b) <= objective (alpha (length D)) b D theta.
Definition gamma (L B : R) : R := / (2 + exp (2 * L * B) + exp (- (2 * L * B))).
Definition alpha (C L B eps delta eta : R) (n : nat) : R :=
  2 * C * gamma L B * (sqrt (1 * ln (1 / delta) * ln (1 / eta)) / (eps * INR n)).
Definition sigma (s L eps delta : R) : R := sqrt (s * L ^ 2 * ln (1 / delta) / eps ^ 2).
Definition nu2 (s C L B eps delta eta beta : R) (n : nat) : R :=
  s * beta * ln (1 / delta) / (alpha C L B eps delta eta n * eps ^ 2).

(* ---- privacy ---- *)

Definition replaced (D D' : list item) : Prop := exists before x x' after, D = before ++ x :: after /\ D' = before ++ x' :: after.

Definition one_more (D D' : list item) : Prop := exists before x after, D = before ++ x :: after /\ D' = before ++ after.
Definition added_or_removed (D D' : list item) : Prop := one_more D D' \/ one_more D' D.
Definition private {Omega Out : Type} (P : (Omega -> Prop) -> R) (neighbours : list item -> list item -> Prop) (L : R) (n : nat)
    (release : list item -> Omega -> Out) (eps delta : R) : Prop :=
  forall D D' : list item, valid L D -> valid L D' -> neighbours D D' -> Nat.max (length D) (length D') = n ->
  forall O : Out -> Prop, P (fun o => O (release D o)) <= exp eps * P (fun o => O (release D' o)) + delta.

(* theta~ with Sigma~: b does not depend on the dataset, w's variance does on its size, and Sigma~ is any release. *)
Definition pair_release {Omega M : Type} (solver : list item -> R -> R) (b : Omega -> R) (w : nat -> Omega -> R)
    (Sigma : list item -> Omega -> M) (D : list item) (o : Omega) : R * M := (solver D (b o) + w (length D) o, Sigma D o).
Definition statement (neighbours : list item -> list item -> Prop) : Prop :=
  forall (s C L eps delta eta : R) (n : nat), 1 <= s -> 0 < C -> 0 < L -> 0 < eps <= 1 ->
  0 < delta <= eps ^ 2 / (2500 * s) -> 0 < eta < 1 -> (2 <= n)%nat ->
  exists B0 : R, forall B : R, B0 <= B -> exists beta0 : R, 0 < beta0 /\ forall beta : R, 0 < beta < beta0 ->
  forall (Omega M : Type) (P : (Omega -> Prop) -> R) (b : Omega -> R) (w : nat -> Omega -> R)
         (Sigma : list item -> Omega -> M) (solver : list item -> R -> R),
  probability P -> normal P b (sigma s L eps delta) ->
  (forall m, (1 <= m)%nat -> chebyshev P (w m) (nu2 s C L B eps delta eta beta m)) ->
  solves B (alpha C L B eps delta eta) solver ->
  ~ private P neighbours L n (pair_release solver b w Sigma) eps delta.

Definition algorithm_1_not_private : Prop := statement replaced /\ statement added_or_removed.

(* Lemma A.10 claims more: (eps/2, delta/2) of theta~ alone, for which Sigma~ may be a constant. *)
Definition lemma_A_10_stronger : Prop := forall (Omega Out : Type) (P : (Omega -> Prop) -> R) (neighbours : list item -> list item -> Prop)
    (L : R) (n : nat) (release : list item -> Omega -> Out) (eps delta : R), probability P -> 0 <= eps -> 0 <= delta ->
  private P neighbours L n release (eps / 2) (delta / 2) -> private P neighbours L n release eps delta.

(* ---- proofs ---- *)

Ltac pos := match goal with |- 0 < _ * _ => apply Rmult_lt_0_compat; pos | |- 0 < _ / _ => apply Rdiv_lt_0_compat; pos
  | |- 0 < _ ^ _ => apply pow_lt; pos | |- _ => lra end.

Lemma exp_le x y : x <= y -> exp x <= exp y.
Proof. intros [H|<-]; [left; apply exp_increasing, H|right; reflexivity]. Qed.

Lemma either {Omega} (P : (Omega -> Prop) -> R) (S T : Omega -> Prop) : probability P -> P (fun o => S o \/ T o) <= P S + P T.
Proof.
  intros H; apply Rle_trans with (P (fun o => S o \/ (T o /\ ~ S o))).
  - apply (monotone P H); intros o [X|Y]; [now left|].
    destruct (Classical_Prop.classic (S o)); [now left|right; now split].
  - rewrite (additive P H) by (intros o X [_ Y]; contradiction).
    apply Rplus_le_compat_l, (monotone P H); now intros o [X _].
Qed.

(* softplus lies above its tangents *)
Definition soft (t : R) : R := ln (1 + exp (- t)).

Lemma weights p y : 0 <= p <= 1 -> exp (p * y) <= 1 - p + p * exp y.
Proof.
  intros H; assert (A := exp_ineq1_le ((1 - p) * y)); assert (B := exp_ineq1_le (- (p * y))).
  assert (E := exp_pos (p * y)).
  replace (exp y) with (exp (p * y) * exp ((1 - p) * y)) by (rewrite <- exp_plus; f_equal; ring).
  assert (I : exp (p * y) * exp (- (p * y)) = 1) by (rewrite <- exp_plus, <- exp_0; f_equal; ring).
  assert (X : exp (p * y) * (1 + (1 - p) * y) <= exp (p * y) * exp ((1 - p) * y)) by (apply Rmult_le_compat_l; lra).
  assert (Y : exp (p * y) * (1 - p * y) <= 1) by (rewrite <- I; apply Rmult_le_compat_l; lra).
  nra.
Qed.

Definition slope (t : R) : R := / (1 + exp t).        (* - soft' *)

Lemma tangent t u : soft t - slope t * (u - t) <= soft u.
Proof.
  unfold soft, slope; assert (Et := exp_pos t); assert (Em := exp_pos (- t)); assert (Eu := exp_pos (- u)).
  set (p := / (1 + exp t)); assert (Hp : p = exp (- t) / (1 + exp (- t))) by (unfold p; rewrite exp_Ropp; field; lra).
  assert (P01 : 0 <= p <= 1).
  { rewrite Hp; split; [apply Rlt_le, Rdiv_lt_0_compat; lra|].
    apply Rmult_le_reg_r with (1 + exp (- t)); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra. }
  assert (W := weights p (t - u) P01).
  assert (X : ln (exp (p * (t - u))) <= ln (1 - p + p * exp (t - u))).
  { destruct W as [W|W]; [left; apply ln_increasing; [apply exp_pos|exact W]|right; now rewrite W]. }
  rewrite ln_exp in X.
  assert (Y : 1 - p + p * exp (t - u) = (1 + exp (- u)) / (1 + exp (- t))).
  { rewrite Hp; replace (exp (t - u)) with (exp (- u) / exp (- t)); [field; lra|].
    unfold Rdiv; rewrite <- exp_Ropp, <- exp_plus; f_equal; ring. }
  rewrite Y, ln_div in X by lra; lra.
Qed.

(* what n times the objective is on the two kinds of datasets *)
Definition blank (k : nat) : list item := repeat (0, true) k.

Lemma half_is t : ln (sigmoid t) = - soft t.
Proof.
  unfold sigmoid, soft; generalize (exp_pos (- t)); intro; unfold Rdiv; rewrite Rmult_1_l, ln_Rinv by lra; reflexivity.
Qed.

Lemma blank_sum k theta :
  fold_right (fun (r : item) s => ln (if snd r then sigmoid (theta * fst r) else 1 - sigmoid (theta * fst r)) + s) 0 (blank k) =
  - (INR k * soft 0).
Proof.
  induction k as [|k IH]; [simpl; ring|].
  unfold blank in *; cbn [repeat fold_right fst snd]; rewrite IH, Rmult_0_r, half_is, S_INR; ring.
Qed.

Section Minimisers.

Variables (B A b : R) (HA : 0 < A).

Lemma blank_minimiser a k o : INR k * a = A -> (0 < k)%nat -> - B <= o <= B ->
  (forall theta, - B <= theta <= B -> objective a b (blank k) o <= objective a b (blank k) theta) ->
  forall theta, - B <= theta <= B -> A * o ^ 2 + b * o <= A * theta ^ 2 + b * theta.
Proof.
  intros Ha Hk Ho H theta Ht; specialize (H theta Ht); unfold objective, ell in H; rewrite !blank_sum in H.
  assert (K : 0 < INR k) by now apply lt_0_INR.
  unfold blank in H; rewrite repeat_length in H.
  apply Rmult_le_compat_l with (r := INR k) in H; [|lra].
  replace (INR k * (- / INR k * - (INR k * soft 0) + a * o ^ 2 + b * o / INR k))
    with (INR k * soft 0 + INR k * a * o ^ 2 + b * o) in H by (field; lra).
  replace (INR k * (- / INR k * - (INR k * soft 0) + a * theta ^ 2 + b * theta / INR k))
    with (INR k * soft 0 + INR k * a * theta ^ 2 + b * theta) in H by (field; lra).
  rewrite Ha in H; lra.
Qed.

Lemma one_minimiser a x k o : INR (S k) * a = A -> - B <= o <= B ->
  (forall theta, - B <= theta <= B -> objective a b ((x, true) :: blank k) o <= objective a b ((x, true) :: blank k) theta) ->
  forall theta, - B <= theta <= B -> soft (o * x) + A * o ^ 2 + b * o <= soft (theta * x) + A * theta ^ 2 + b * theta.
Proof.
  intros Ha Ho H theta Ht; specialize (H theta Ht); unfold objective, ell in H; cbn [fold_right fst snd] in H.
  rewrite !blank_sum, !half_is in H.
  assert (K : 0 < INR (S k)) by (apply lt_0_INR, Nat.lt_0_succ).
  cbn [length] in H; unfold blank in H; rewrite repeat_length in H.
  apply Rmult_le_compat_l with (r := INR (S k)) in H; [|lra].
  replace (INR (S k) * (- / INR (S k) * (- soft (o * x) + - (INR k * soft 0)) + a * o ^ 2 + b * o / INR (S k)))
    with (soft (o * x) + INR k * soft 0 + INR (S k) * a * o ^ 2 + b * o) in H by (field; lra).
  replace (INR (S k) * (- / INR (S k) * (- soft (theta * x) + - (INR k * soft 0)) + a * theta ^ 2 + b * theta / INR (S k)))
    with (soft (theta * x) + INR k * soft 0 + INR (S k) * a * theta ^ 2 + b * theta) in H by (field; lra).
  rewrite Ha in H; lra.
Qed.

Lemma blank_where o u v : - B <= o <= B -> 0 <= u < B -> 0 <= v < B ->
  (forall theta, - B <= theta <= B -> A * o ^ 2 + b * o <= A * theta ^ 2 + b * theta) ->
  - u <= o <= v -> - (2 * A * v) <= b <= 2 * A * u.
Proof.
  intros Ho Hu Hv H Hin; split; apply Rnot_lt_le; intros L.
  - (* derivative below 0 at o: a little more is better *)
    assert (N : 2 * A * o + b < 0) by nra.
    set (t := Rmin (- (2 * A * o + b) / (2 * A)) (B - o)).
    assert (T : 0 < t /\ t <= B - o /\ A * t <= - (2 * A * o + b) / 2).
    { assert (Q : 0 < - (2 * A * o + b) / (2 * A)) by (apply Rdiv_lt_0_compat; lra).
      assert (M1 := Rmin_l (- (2 * A * o + b) / (2 * A)) (B - o)); assert (M2 := Rmin_r (- (2 * A * o + b) / (2 * A)) (B - o)).
      fold t in M1, M2; repeat split; [unfold t; apply Rmin_glb_lt; lra|exact M2|].
      apply Rmult_le_compat_l with (r := A) in M1; [|lra].
      replace (A * (- (2 * A * o + b) / (2 * A))) with (- (2 * A * o + b) / 2) in M1 by (field; lra); exact M1. }
    specialize (H (o + t) ltac:(lra)); nra.
  - assert (N : 0 < 2 * A * o + b) by nra.
    set (t := Rmin ((2 * A * o + b) / (2 * A)) (B + o)).
    assert (T : 0 < t /\ t <= B + o /\ A * t <= (2 * A * o + b) / 2).
    { assert (Q : 0 < (2 * A * o + b) / (2 * A)) by (apply Rdiv_lt_0_compat; lra).
      assert (M1 := Rmin_l ((2 * A * o + b) / (2 * A)) (B + o)); assert (M2 := Rmin_r ((2 * A * o + b) / (2 * A)) (B + o)).
      fold t in M1, M2; repeat split; [unfold t; apply Rmin_glb_lt; lra|exact M2|].
      apply Rmult_le_compat_l with (r := A) in M1; [|lra].
      replace (A * ((2 * A * o + b) / (2 * A))) with ((2 * A * o + b) / 2) in M1 by (field; lra); exact M1. }
    specialize (H (o - t) ltac:(lra)); nra.
Qed.

Lemma one_where x o u v : 0 < x -> - B <= u <= v -> v <= B -> - B <= o <= B ->
  (forall theta, - B <= theta <= B -> soft (o * x) + A * o ^ 2 + b * o <= soft (theta * x) + A * theta ^ 2 + b * theta) ->
  x * slope (v * x) - 2 * A * v <= b <= x * slope (u * x) - 2 * A * u -> u <= o <= v.
Proof.
  intros Hx Hu Hv Ho H [L1 L2]; split; apply Rnot_lt_le; intros L.
  - specialize (H u ltac:(lra)); assert (T := tangent (u * x) (o * x)).
    assert (Q : 0 < A * (o - u) ^ 2) by (apply Rmult_lt_0_compat; [lra|apply pow2_gt_0; lra]).
    assert ((u - o) * (2 * A * u + b - x * slope (u * x)) <= 0) by nra; nra.
  - specialize (H v ltac:(lra)); assert (T := tangent (v * x) (o * x)).
    assert (Q : 0 < A * (o - v) ^ 2) by (apply Rmult_lt_0_compat; [lra|apply pow2_gt_0; lra]).
    assert (0 <= (o - v) * (2 * A * v + b - x * slope (v * x))) by (apply Rmult_le_pos; lra); nra.
Qed.

End Minimisers.

(* integrals of the normal density *)
Lemma density_continuous s x : continuous (density s) x.
Proof. unfold density; apply (ex_derive_continuous (V := R_NormedModule)); auto_derive; trivial. Qed.

Lemma integrable s a b : ex_RInt (density s) a b.
Proof. apply (ex_RInt_continuous (V := R_CompleteNormedModule)); intros; apply density_continuous. Qed.

Lemma at_most s u v : 0 < s -> u <= v -> RInt (density s) u v <= (v - u) * / (s * sqrt (2 * PI)).
Proof.
  intros Hs H; assert (P : 0 < / (s * sqrt (2 * PI))).
  { apply Rinv_0_lt_compat, Rmult_lt_0_compat; [exact Hs|apply sqrt_lt_R0; generalize PI_RGT_0; lra]. }
  assert (I2 : is_RInt (fun _ => / (s * sqrt (2 * PI))) u v ((v - u) * / (s * sqrt (2 * PI)))) by apply (is_RInt_const (V := R_NormedModule)).
  assert (I1 := RInt_correct (V := R_CompleteNormedModule) _ _ _ (integrable s u v)).
  apply (is_RInt_le _ _ _ _ _ _ H I1 I2); intros x _; unfold density.
  rewrite <- (Rmult_1_r (/ (s * sqrt (2 * PI)))) at 2; apply Rmult_le_compat_l; [lra|].
  rewrite <- exp_0; apply exp_le; generalize (pow2_ge_0 (x / s)); lra.
Qed.

Lemma at_least s L u v : 0 < s -> 0 < L <= s -> - L <= u <= v -> v <= L ->
  (v - u) * / (s * sqrt (2 * PI)) / 2 <= RInt (density s) u v.
Proof.
  intros Hs HL Hu Hv; assert (P : 0 < / (s * sqrt (2 * PI))).
  { apply Rinv_0_lt_compat, Rmult_lt_0_compat; [exact Hs|apply sqrt_lt_R0; generalize PI_RGT_0; lra]. }
  set (k := / (s * sqrt (2 * PI))) in *.
  replace ((v - u) * k / 2) with ((v - u) * (k / 2)) by field.
  assert (I2 : is_RInt (fun _ => k / 2) u v ((v - u) * (k / 2))) by apply (is_RInt_const (V := R_NormedModule)).
  assert (I1 := RInt_correct (V := R_CompleteNormedModule) _ _ _ (integrable s u v)).
  apply (is_RInt_le _ _ _ _ _ _ (proj2 Hu) I2 I1); intros x Hx; unfold density; fold k.
  assert (Y : (x / s) ^ 2 <= 1).
  { assert (X : (x / s) * s = x) by (field; lra).
    assert (- 1 <= x / s <= 1) by (split; apply Rmult_le_reg_r with s; lra); nra. }
  assert (E := exp_ineq1_le (- (x / s) ^ 2 / 2)); unfold Rdiv at 1; apply Rmult_le_compat_l; lra.
Qed.

Lemma numbers : / 3 <= slope (1 / 2) /\ slope (7 / 2) <= / 9 /\ forall t, 0 <= t -> 0 < slope t <= / 2.
Proof.
  assert (E1 : exp 1 <= 3) by apply exp_le_3; assert (F : exp 1 = exp (1 / 2) * exp (1 / 2)) by (rewrite <- exp_plus; f_equal; field).
  assert (G := exp_pos (1 / 2)); split; [|split].
  - unfold slope; apply Rinv_le_contravar; [lra|]; assert (exp (1 / 2) <= 2) by nra; lra.
  - unfold slope; apply Rinv_le_contravar; [lra|].
    assert (T : 2 <= exp 1) by (generalize (exp_ineq1_le 1); lra).
    assert (H : exp 3 <= exp (7 / 2)) by (apply exp_le; lra).
    assert (H3 : exp 3 = exp 1 * (exp 1 * exp 1)) by (rewrite <- !exp_plus; f_equal; ring); nra.
  - intros t Ht; unfold slope; assert (1 <= exp t) by (rewrite <- exp_0; now apply exp_le).
    split; [apply Rinv_0_lt_compat; lra|apply Rinv_le_contravar; lra].
Qed.

(* The heart: a record of length 2L beside blank ones, against blank ones alone. *)
Lemma core {Omega M} (P : (Omega -> Prop) -> R) (b : Omega -> R) (w : nat -> Omega -> R) (Sigma : list item -> Omega -> M)
    (solver : list item -> R -> R) (B A sg L eps delta q : R) (al : nat -> R) (k m : nat) :
  probability P -> normal P b sg -> solves B al solver -> 0 < A -> (forall j, (0 < j)%nat -> INR j * al j = A) ->
  0 < L <= sg -> 3 <= L * B -> A <= L ^ 2 / 300 -> 0 < eps <= 1 -> (0 < m)%nat ->
  P (fun o => / (4 * L) < Rabs (w (S k) o)) <= q -> P (fun o => / (4 * L) < Rabs (w m o)) <= q ->
  16 * q + 4 * delta < L * / (sg * sqrt (2 * PI)) / 2 ->
  exists O : R * M -> Prop,
  exp eps * P (fun o => O (pair_release solver b w Sigma (blank m) o)) + delta <
  P (fun o => O (pair_release solver b w Sigma ((2 * L, true) :: blank k) o)).
Proof.
  intros HP Hb HS HA Ha [HL HLs] HB HAL [E0 E1] Hm Q Q' Small.
  destruct numbers as [N1 [N2 N3]].
  assert (K0 : 0 < / (sg * sqrt (2 * PI))).
  { apply Rinv_0_lt_compat, Rmult_lt_0_compat; [lra|apply sqrt_lt_R0; generalize PI_RGT_0; lra]. }
  set (kk := / (sg * sqrt (2 * PI))) in *.
  assert (iL : 0 < / L) by now apply Rinv_0_lt_compat.
  assert (LL : L * / L = 1) by (apply Rinv_r; lra).
  assert (i4 : / (4 * L) = / L / 4) by (field; lra); rewrite i4 in Q, Q'.
  assert (HB3 : 3 * / L <= B) by (apply Rmult_le_compat_l with (r := / L) in HB; [|lra]; replace (/ L * (L * B)) with B in HB by (field; lra); lra).
  exists (fun r => 0 <= fst r <= 2 * / L).
  (* blank records: theta~ in [0, 2/L] forces b into a short interval, or w is large *)
  assert (Up : P (fun o => 0 <= fst (pair_release solver b w Sigma (blank m) o) <= 2 * / L) <= 5 * A * / L * kk + q).
  { apply Rle_trans with (P (fun o => - (2 * A * (9 / 4 * / L)) <= b o <= 2 * A * (/ L / 4) \/ / L / 4 < Rabs (w m o))).
    - apply (monotone P HP); intros o; unfold pair_release; cbn [fst]; intros H.
      destruct (Rlt_or_le (/ L / 4) (Rabs (w m o))) as [W|W]; [now right|left].
      destruct (HS (blank m) (b o)) as [R1 R2].
      assert (len : length (blank m) = m) by (unfold blank; apply repeat_length); rewrite len in H, R2.
      assert (Wb : - (/ L / 4) <= w m o <= / L / 4) by (revert W; unfold Rabs; destruct (Rcase_abs (w m o)); lra).
      apply (blank_where B A (b o) HA (solver (blank m) (b o)) (/ L / 4) (9 / 4 * / L)); try lra.
      intros theta Ht; exact (blank_minimiser B A (b o) (al m) m _ (Ha m Hm) Hm R1 R2 theta Ht).
    - apply Rle_trans with (1 := either P _ _ HP); apply Rplus_le_compat; [|exact Q'].
      assert (0 < A * / L) by (apply Rmult_lt_0_compat; lra).
      rewrite Hb by lra; eapply Rle_trans; [apply at_most; lra|].
      fold kk; right; field; lra. }
  (* with the record: b in a long interval puts theta~ there, unless w is large *)
  assert (Lo : L * kk / 5 <= P (fun o => 0 <= fst (pair_release solver b w Sigma ((2 * L, true) :: blank k) o) <= 2 * / L) + q).
  { set (u := / L / 4); set (v := 7 / 4 * / L).
    assert (ux : u * (2 * L) = 1 / 2) by (unfold u; lra); assert (vx : v * (2 * L) = 7 / 2) by (unfold v; lra).
    set (b1 := 2 * L * slope (7 / 2) - 2 * A * v); set (b2 := 2 * L * slope (1 / 2) - 2 * A * u).
    assert (Len : 2 / 5 * L <= b2 - b1).
    { unfold b1, b2; assert (0 <= A * (v - u)) by (apply Rmult_le_pos; unfold u, v; lra).
      assert (L * (/ 3) <= L * slope (1 / 2)) by (apply Rmult_le_compat_l; lra).
      assert (L * slope (7 / 2) <= L * (/ 9)) by (apply Rmult_le_compat_l; lra); lra. }
    assert (Av : 0 <= A * v <= L / 100).
    { unfold v; split; [apply Rmult_le_pos; lra|].
      apply Rle_trans with (L ^ 2 / 300 * (7 / 4 * / L)); [apply Rmult_le_compat_r; lra|].
      replace (L ^ 2 / 300 * (7 / 4 * / L)) with (L * (7 / 1200)) by (field; lra); lra. }
    assert (Au : 0 <= A * u) by (apply Rmult_le_pos; unfold u; lra).
    assert (R1 : - L <= b1) by (unfold b1; assert (0 < slope (7 / 2)) by (apply N3; lra); assert (0 <= L * slope (7 / 2)) by (apply Rmult_le_pos; lra); lra).
    assert (R2 : b2 <= L) by (unfold b2; assert (slope (1 / 2) <= / 2) by (apply N3; lra); assert (L * slope (1 / 2) <= L * / 2) by (apply Rmult_le_compat_l; lra); lra).
    apply Rle_trans with (P (fun o => b1 <= b o <= b2)).
    - rewrite Hb by lra; apply Rle_trans with (2 := at_least sg L b1 b2 ltac:(lra) ltac:(lra) ltac:(lra) R2).
      fold kk; assert (2 / 5 * L * kk <= (b2 - b1) * kk) by (apply Rmult_le_compat_r; lra); lra.
    - apply Rle_trans with (P (fun o => 0 <= fst (pair_release solver b w Sigma ((2 * L, true) :: blank k) o) <= 2 * / L \/ / L / 4 < Rabs (w (S k) o))).
      + apply (monotone P HP); intros o H; destruct (Rlt_or_le (/ L / 4) (Rabs (w (S k) o))) as [W|W]; [now right|left].
        unfold pair_release; cbn [fst]; destruct (HS ((2 * L, true) :: blank k) (b o)) as [S1 S2].
        assert (len : @length item (@cons item (2 * L, true) (blank k)) = S k) by (simpl; f_equal; apply repeat_length); rewrite len in S2 |- *.
        assert (Wb : - (/ L / 4) <= w (S k) o <= / L / 4) by (revert W; unfold Rabs; destruct (Rcase_abs (w (S k) o)); lra).
        assert (X : u <= solver ((2 * L, true) :: blank k) (b o) <= v).
        { apply (one_where B A (b o) HA (2 * L)); try (unfold u, v; lra); try exact S1.
          - intros theta Ht; exact (one_minimiser B A (b o) (al (S k)) (2 * L) k _ (Ha (S k) (Nat.lt_0_succ k)) S1 S2 theta Ht).
          - rewrite ux, vx; exact H. }
        unfold u, v in X; lra.
      + apply Rle_trans with (1 := either P _ _ HP); apply Rplus_le_compat_l; exact Q. }
  assert (Ex : exp eps <= 3) by (apply Rle_trans with (2 := exp_le_3), exp_le; lra).
  assert (Pn := nonnegative P HP (fun o => 0 <= fst (pair_release solver b w Sigma (blank m) o) <= 2 * / L)).
  revert Up Lo Pn.
  generalize (P (fun o => 0 <= fst (pair_release solver b w Sigma (blank m) o) <= 2 * / L)).
  generalize (P (fun o => 0 <= fst (pair_release solver b w Sigma ((2 * L, true) :: blank k) o) <= 2 * / L)).
  intros p p' Up Lo Pn.
  assert (Sh : 5 * A * / L * kk <= L * kk / 60).
  { apply Rle_trans with (5 * (L ^ 2 / 300) * / L * kk).
    - repeat (apply Rmult_le_compat_r; [lra|]); lra.
    - right; field; lra. }
  assert (0 < L * kk) by (apply Rmult_lt_0_compat; lra); assert (exp eps * p' <= 3 * p') by (apply Rmult_le_compat_r; lra); lra.
Qed.

Lemma setting (s C L eps delta eta : R) : 1 <= s -> 0 < C -> 0 < L -> 0 < eps <= 1 -> 0 < delta <= eps ^ 2 / (2500 * s) -> 0 < eta < 1 ->
  L <= sigma s L eps delta /\ 8 * delta <= L * / (sigma s L eps delta * sqrt (2 * PI)) / 2 /\
  exists B0, forall B, B0 <= B -> 3 <= L * B /\ exists A, 0 < A <= L ^ 2 / 300 /\
  forall j, (0 < j)%nat -> INR j * alpha C L B eps delta eta j = A.
Proof.
  intros Hs HC HL [E0 E1] [D0 D1] [T0 T1].
  assert (e2 : 0 < eps ^ 2 <= 1) by nra.
  assert (D2 : delta * (2500 * s) <= eps ^ 2).
  { apply Rmult_le_compat_r with (r := 2500 * s) in D1; [|lra]; replace (eps ^ 2 / (2500 * s) * (2500 * s)) with (eps ^ 2) in D1 by (field; lra); exact D1. }
  assert (D3 : delta <= 1 / 2500) by nra.
  assert (il : 2500 <= 1 / delta) by (apply Rmult_le_reg_r with delta; [lra|]; unfold Rdiv; rewrite Rmult_1_l, Rinv_l; lra).
  assert (L1 : 1 <= ln (1 / delta)).
  { replace 1 with (ln (exp 1)) at 1 by apply ln_exp; destruct (Rle_or_lt (1 / delta) (exp 1)) as [X|X]; [generalize exp_le_3; lra|left; apply ln_increasing; [apply exp_pos|exact X]]. }
  assert (L2 : ln (1 / delta) <= 1 / delta) by (assert (X := exp_ineq1_le (ln (1 / delta))); rewrite exp_ln in X by lra; lra).
  assert (Le : 0 < ln (1 / eta)).
  { rewrite <- ln_1; apply ln_increasing; [lra|]; apply Rmult_lt_reg_r with eta; [lra|]; unfold Rdiv; rewrite Rmult_1_l, Rmult_1_l, Rinv_l; lra. }
  set (l := ln (1 / delta)) in *.
  assert (v0 : 0 < s * L ^ 2 * l / eps ^ 2) by pos.
  assert (Sg : L <= sigma s L eps delta).
  { unfold sigma; fold l; rewrite <- (sqrt_square L) at 1 by lra; apply sqrt_le_1_alt.
    apply Rmult_le_reg_r with (eps ^ 2); [lra|].
    replace (s * L ^ 2 * l / eps ^ 2 * eps ^ 2) with (L ^ 2 * (s * l)) by (field; lra).
    assert (1 <= s * l) by nra; assert (0 < L ^ 2) by (apply pow_lt; lra); nra. }
  split; [exact Sg|split].
  - set (sg := sigma s L eps delta) in *; assert (Q : 0 < sqrt (2 * PI) <= 3).
    { split; [apply sqrt_lt_R0; generalize PI_RGT_0; lra|].
      replace 3 with (sqrt (3 * 3)) by (apply sqrt_square; lra); apply sqrt_le_1_alt; generalize PI_4; lra. }
    assert (sg2 : sg ^ 2 = s * L ^ 2 * l / eps ^ 2) by (unfold sg, sigma; fold l; apply pow2_sqrt; lra).
    (* (48 delta sg)^2 <= (eps-free) L^2 *)
    assert (X : (48 * delta * sg) ^ 2 <= L ^ 2 * (2304 / 2500)).
    { replace ((48 * delta * sg) ^ 2) with (2304 * delta ^ 2 * sg ^ 2) by ring; rewrite sg2.
      apply Rmult_le_reg_r with (eps ^ 2); [lra|].
      replace (2304 * delta ^ 2 * (s * L ^ 2 * l / eps ^ 2) * eps ^ 2) with (2304 * L ^ 2 * (delta * s) * (delta * l)) by (field; lra).
      assert (dl : 0 < delta * l <= 1).
      { split; [apply Rmult_lt_0_compat; lra|]; apply Rle_trans with (delta * (1 / delta)); [apply Rmult_le_compat_l; lra|right; field; lra]. }
      assert (ds : 0 < delta * s <= eps ^ 2 / 2500) by (split; [apply Rmult_lt_0_compat; lra|lra]).
      assert (0 < L ^ 2) by (apply pow_lt; lra).
      apply Rle_trans with (2304 * L ^ 2 * (delta * s) * 1); [apply Rmult_le_compat_l; [|lra]|].
      - apply Rmult_le_pos; [apply Rmult_le_pos|]; lra.
      - rewrite Rmult_1_r; apply Rle_trans with (2304 * L ^ 2 * (eps ^ 2 / 2500)); [apply Rmult_le_compat_l; lra|right; field]. }
    assert (Y : 48 * delta * sg <= L).
    { apply Rnot_lt_le; intros Z; assert (0 < L ^ 2) by (apply pow_lt; lra).
      assert (L * L < (48 * delta * sg) * (48 * delta * sg)) by (apply Rmult_le_0_lt_compat; lra); lra. }
    apply Rmult_le_reg_r with (sg * sqrt (2 * PI) * 2); [pos|].
    replace (L * / (sg * sqrt (2 * PI)) / 2 * (sg * sqrt (2 * PI) * 2)) with L by (field; split; lra).
    assert (ds : 0 < delta * sg) by (apply Rmult_lt_0_compat; lra); clear X D2 v0 sg2.
    assert (delta * sg * sqrt (2 * PI) <= delta * sg * 3) by (apply Rmult_le_compat_l; lra); lra.
  - set (r := sqrt (1 * l * ln (1 / eta)) / eps).
    assert (r0 : 0 < r) by (apply Rdiv_lt_0_compat; [apply sqrt_lt_R0; rewrite Rmult_1_l; apply Rmult_lt_0_compat; lra|lra]).
    exists (3 * / L + 300 * C * r / L ^ 3); intros B HB.
    assert (L3 : 0 < L ^ 3) by (apply pow_lt; lra).
    assert (T : 0 < 300 * C * r / L ^ 3) by pos.
    assert (LB : 3 <= L * B).
    { apply Rle_trans with (L * (3 * / L)); [right; field; lra|apply Rmult_le_compat_l; lra]. }
    split; [exact LB|exists (2 * C * gamma L B * r)].
    assert (Ep := exp_ineq1_le (2 * L * B)); assert (Em := exp_pos (- (2 * L * B))).
    assert (G : 0 < gamma L B <= / (2 * L * B)) by (unfold gamma; split; [apply Rinv_0_lt_compat; lra|apply Rinv_le_contravar; lra]).
    split; [split; [pos|]|].
    + apply Rle_trans with (2 * C * / (2 * L * B) * r); [apply Rmult_le_compat_r; [lra|]; apply Rmult_le_compat_l; lra|].
      apply Rmult_le_reg_r with (300 * (L * B)); [lra|].
      replace (2 * C * / (2 * L * B) * r * (300 * (L * B))) with (300 * C * r).
      2: { field; split; nra. }
      replace (L ^ 2 / 300 * (300 * (L * B))) with (L ^ 3 * B) by field.
      apply Rle_trans with (L ^ 3 * (300 * C * r / L ^ 3)); [right; field; lra|apply Rmult_le_compat_l; [lra|]].
      assert (0 < / L) by (apply Rinv_0_lt_compat; lra); lra.
    + intros j Hj; assert (0 < INR j) by now apply lt_0_INR.
      unfold alpha, r; fold l; field; split; lra.
Qed.

(* beta0: w is then at most 1/(4L) but for a chance of at most delta/8 *)
Lemma tolerance (s C L B eps delta eta : R) (n : nat) (A : R) : 0 < A -> 1 <= s -> 0 < L -> 0 < eps -> 0 < delta < 1 -> (0 < n)%nat ->
  (forall j, (0 < j)%nat -> INR j * alpha C L B eps delta eta j = A) ->
  exists beta0, 0 < beta0 /\ forall beta, 0 < beta < beta0 -> forall j, (0 < j <= n)%nat ->
  nu2 s C L B eps delta eta beta j / (/ (4 * L)) ^ 2 <= delta / 8.
Proof.
  intros HA Hs HL He Hd Hn Ha; assert (l0 : 0 < ln (1 / delta)).
  { rewrite <- ln_1; apply ln_increasing; [lra|]; apply Rmult_lt_reg_r with delta; [lra|]; unfold Rdiv; rewrite !Rmult_1_l, Rinv_l; lra. }
  assert (N : 0 < INR n) by now apply lt_0_INR.
  set (c := s * ln (1 / delta) * INR n * 16 * L ^ 2 / (A * eps ^ 2)).
  assert (e2 : 0 < eps ^ 2) by (apply pow_lt; lra); assert (L2 : 0 < L ^ 2) by (apply pow_lt; lra).
  assert (c0 : 0 < c) by (unfold c; pos).
  exists (delta / 8 / c); split; [apply Rdiv_lt_0_compat; lra|intros beta Hb j Hj].
  assert (J : 0 < INR j <= INR n) by (split; [now apply lt_0_INR|now apply le_INR]).
  assert (al : alpha C L B eps delta eta j = A / INR j) by (rewrite <- (Ha j (proj1 Hj)); field; lra).
  unfold nu2; rewrite al.
  replace (s * beta * ln (1 / delta) / (A / INR j * eps ^ 2) / (/ (4 * L)) ^ 2)
    with (s * ln (1 / delta) * 16 * L ^ 2 / (A * eps ^ 2) * beta * INR j) by (field; repeat split; lra).
  apply Rle_trans with (s * ln (1 / delta) * 16 * L ^ 2 / (A * eps ^ 2) * beta * INR n).
  - apply Rmult_le_compat_l; [|lra]; apply Rmult_le_pos; [|lra].
    left; pos.
  - replace (s * ln (1 / delta) * 16 * L ^ 2 / (A * eps ^ 2) * beta * INR n) with (c * beta) by (unfold c; field; lra).
    apply Rle_trans with (c * (delta / 8 / c)); [apply Rmult_le_compat_l; lra|right; field; lra].
Qed.

Lemma blank_valid L k : 0 < L -> valid L (blank k).
Proof. intros HL r Hr; apply repeat_spec in Hr; subst r; cbn [fst]; rewrite Rabs_R0; lra. Qed.

Lemma one_valid L k : 0 < L -> valid L ((2 * L, true) :: blank k).
Proof. intros HL r [<-|Hr]; [cbn [fst]; rewrite Rabs_pos_eq; lra|now apply (blank_valid L k)]. Qed.

Lemma enough (neighbours : list item -> list item -> Prop) :
  (forall n, (2 <= n)%nat -> exists k m, (0 < m)%nat /\ Nat.max (S k) m = n /\ forall L, neighbours ((2 * L, true) :: blank k) (blank m)) ->
  statement neighbours.
Proof.
  intros Hnb s C L eps delta eta n Hs HC HL He Hd Ht Hn.
  destruct (setting s C L eps delta eta Hs HC HL He Hd Ht) as [Sg [Sm [B0 HB0]]]; exists B0; intros B HB.
  destruct (HB0 B HB) as [LB [A [[A0 AL] Ha]]].
  assert (D1 : 0 < delta < 1).
  { split; [lra|]; apply Rle_lt_trans with (1 := proj2 Hd); apply Rmult_lt_reg_r with (2500 * s); [lra|].
    replace (eps ^ 2 / (2500 * s) * (2500 * s)) with (eps ^ 2) by (field; lra); nra. }
  destruct (tolerance s C L B eps delta eta n A A0 Hs HL ltac:(lra) D1 ltac:(lia) Ha) as [beta0 [b0 Hbeta]].
  exists beta0; split; [exact b0|intros beta Hb Omega M P b w Sigma solver HP Hn' Hw Hsolve Priv].
  destruct (Hnb n Hn) as [k [m [Hm [Hk Nb]]]].
  assert (H4 : 0 < / (4 * L)) by (apply Rinv_0_lt_compat; lra).
  destruct (core P b w Sigma solver B A (sigma s L eps delta) L eps delta (delta / 8) (alpha C L B eps delta eta) k m) as [O HO]; try lra; try assumption; try lia.
  - apply Rle_trans with (1 := Hw (S k) ltac:(lia) _ H4); apply Hbeta; [exact Hb|lia].
  - apply Rle_trans with (1 := Hw m ltac:(lia) _ H4); apply Hbeta; [exact Hb|lia].
  - assert (X := Priv ((2 * L, true) :: blank k) (blank m) (one_valid L k HL) (blank_valid L m HL) (Nb L)).
    assert (len : length (blank m) = m) by (unfold blank; apply repeat_length).
    assert (len' : @length item (@cons item (2 * L, true) (blank k)) = S k) by (simpl; f_equal; apply repeat_length).
    rewrite len, len' in X; specialize (X Hk O); lra.
Qed.

Theorem algorithm_1_not_private_holds : algorithm_1_not_private.
Proof.
  split; apply enough; intros n Hn.
  - exists (n - 1)%nat, (S (n - 1))%nat; repeat split; try lia; intros L; exists [], (2 * L, true), (0, true), (blank (n - 1)); split; reflexivity.
  - exists (n - 1)%nat, (n - 1)%nat; repeat split; try lia; intros L; left; exists [], (2 * L, true), (blank (n - 1)); split; reflexivity.
Qed.

Theorem lemma_A_10_stronger_holds : lemma_A_10_stronger.
Proof.
  intros Omega Out P nb L n rel eps delta HP He Hd H D D' V V' N l O.
  apply Rle_trans with (1 := H D D' V V' N l O).
  assert (E : exp (eps / 2) <= exp eps) by (apply exp_le; lra).
  assert (Pn := nonnegative P HP (fun o => O (rel D' o))).
  assert (exp (eps / 2) * P (fun o => O (rel D' o)) <= exp eps * P (fun o => O (rel D' o))) by (apply Rmult_le_compat_r; lra); lra.
Qed.

Print Assumptions algorithm_1_not_private_holds.
Print Assumptions lemma_A_10_stronger_holds.
