(* docs/explanations/corrected_theorem_4_2.md, Lemma 2: what replaces eq. (15) of P1 (arXiv 2510.13512).

   With 1 - rho(x, y) one less the affinity of the private labels at reward differences x and y, and
   W(B, eps) = V + e^eps/(e^eps-1)^2 V^2, V = 2 + e^B + e^-B:

   lemma_2:  (x - y)^2 <= 8 W(B, eps) (1 - rho(x, y))     for all x, y in [-B, B] and eps > 0.
   Line by line: 1 - rho is written as half the sum of squared differences of roots, which it is for two laws on two points.
   What it does not say: that 8 is the least constant (a change to 4 is refused by the proof, no more); nor the step from
       the affinity to the maximum likelihood estimate, which is on the page. *)

Require Import Reals Lra Psatz.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

Definition sigma (x : R) := / (1 + exp (- x)).
Definition keep (eps : R) := exp eps / (1 + exp eps).
Definition kappa (eps : R) := exp eps / (exp eps - 1) ^ 2.
Definition V (x : R) := 2 + exp x + exp (- x).
Definition W (B eps : R) := V B + kappa eps * V B ^ 2.

(* P(label is +1) after randomised response, and one less the affinity. *)
Definition p (eps x : R) := keep eps * sigma x + (1 - keep eps) * (1 - sigma x).
Definition one_less_affinity (p q : R) :=
  ((sqrt p - sqrt q) ^ 2 + (sqrt (1 - p) - sqrt (1 - q)) ^ 2) / 2.

Definition lemma_2 : Prop := forall B eps x y : R, 0 < eps -> - B <= x <= B -> - B <= y <= B ->
  (x - y) ^ 2 <= 8 * W B eps * one_less_affinity (p eps x) (p eps y).

(* ---- proofs ---- *)

Lemma exp_le x y : x <= y -> exp x <= exp y.
Proof. intros [H|<-]; [left; apply exp_increasing, H|right; reflexivity]. Qed.

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

(* V is largest at the ends of [-B, B]. *)
Lemma V_le B x : - B <= x <= B -> V x <= V B.
Proof.
  intros [H1 H2]; unfold V; rewrite (exp_Ropp x), (exp_Ropp B); apply exp_le in H1, H2; rewrite exp_Ropp in H1.
  generalize (exp_pos x) (exp_pos B); revert H1 H2; generalize (exp x) (exp B); intros a b H1 H2 A Bp.
  assert (Q : 1 <= a * b) by (apply Rmult_le_compat_r with (r := b) in H1; [rewrite Rinv_l in H1; lra|lra]).
  assert (0 <= (b - a) * (1 - / (a * b))).
  { apply Rmult_le_pos; [lra|]. assert (/ (a * b) <= / 1) by (apply Rinv_le_contravar; lra); rewrite Rinv_1 in *; lra. }
  replace (2 + b + / b) with (2 + a + / a + (b - a) * (1 - / (a * b))) by (field; lra); lra.
Qed.

(* (x - y)^2 <= 4 (P - Q)^2/(P Q) with P = e^(x/2), Q = e^(y/2). *)
Lemma square_le x y : (x - y) ^ 2 <= 4 * (exp (x / 2) - exp (y / 2)) ^ 2 / (exp (x / 2) * exp (y / 2)).
Proof.
  assert (G : forall x y, y <= x -> (x - y) ^ 2 <= 4 * (exp (x / 2) - exp (y / 2)) ^ 2 / (exp (x / 2) * exp (y / 2))).
  { clear; intros x y H; assert (S := sinh_ge ((x - y) / 4) ltac:(lra)).
    set (r := exp ((x - y) / 4)) in *; rewrite exp_Ropp in S; fold r in S.
    assert (R : 0 < r) by apply exp_pos; assert (Q : 0 < exp (y / 2)) by apply exp_pos.
    assert (E : exp (x / 2) = r * r * exp (y / 2)) by (unfold r; rewrite <- !exp_plus; f_equal; field).
    rewrite E; replace (4 * (r * r * exp (y / 2) - exp (y / 2)) ^ 2 / (r * r * exp (y / 2) * exp (y / 2)))
      with ((2 * (r - / r)) ^ 2) by (field; lra).
    apply pow_incr; lra. }
  destruct (Rle_or_lt y x) as [H|H]; [now apply G|].
  replace ((x - y) ^ 2) with ((y - x) ^ 2) by ring.
  replace ((exp (x / 2) - exp (y / 2)) ^ 2) with ((exp (y / 2) - exp (x / 2)) ^ 2) by ring.
  rewrite (Rmult_comm (exp (x / 2)) (exp (y / 2))); apply G; lra.
Qed.

Definition middle (x y : R) := (sigma x + sigma y) / 2 * (1 - (sigma x + sigma y) / 2).

Lemma sigma_half x : sigma x = exp (x / 2) ^ 2 / (1 + exp (x / 2) ^ 2).
Proof.
  unfold sigma; rewrite exp_Ropp; replace (exp x) with (exp (x / 2) ^ 2) by (simpl; rewrite Rmult_1_r, <- exp_plus; f_equal; field).
  generalize (exp_pos (x / 2)); intros; field; split; nra.
Qed.

(* The step that needs no privacy: w v (x-y)^2 <= (sigma x - sigma y)^2, w = sigma'(B). *)
Lemma core B x y : - B <= x <= B -> - B <= y <= B ->
  middle x y * (x - y) ^ 2 <= V B * (sigma x - sigma y) ^ 2.
Proof.
  intros Hx Hy; assert (A := V_le B x Hx); assert (A' := V_le B y Hy); assert (S := square_le x y).
  assert (VV : (V x + V y) / 2 <= V B) by lra.
  unfold middle; rewrite !sigma_half.
  assert (Ex : forall z, V z = 2 + exp (z / 2) ^ 2 + / exp (z / 2) ^ 2).
  { intros z; unfold V; rewrite exp_Ropp; replace (exp z) with (exp (z / 2) ^ 2) by (simpl; rewrite Rmult_1_r, <- exp_plus; f_equal; field); reflexivity. }
  rewrite (Ex x), (Ex y) in VV.
  revert S VV; generalize (exp_pos (x / 2)) (exp_pos (y / 2)); generalize (exp (x / 2)) (exp (y / 2)) (V B) ((x - y) ^ 2).
  intros P Q v d HP HQ S VV.
  assert (M : 0 <= (P ^ 2 / (1 + P ^ 2) + Q ^ 2 / (1 + Q ^ 2)) / 2 * (1 - (P ^ 2 / (1 + P ^ 2) + Q ^ 2 / (1 + Q ^ 2)) / 2)).
  { assert (R : forall t, 0 < t -> 0 <= t ^ 2 / (1 + t ^ 2) <= 1).
    { intros t T; assert (0 < t ^ 2) by (apply pow_lt; lra); split; [apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]|].
      apply Rmult_le_reg_r with (1 + t ^ 2); [lra|]; replace (t ^ 2 / (1 + t ^ 2) * (1 + t ^ 2)) with (t ^ 2) by (field; lra); lra. }
    assert (R1 := R P HP); assert (R2 := R Q HQ); nra. }
  apply Rle_trans with (1 := Rmult_le_compat_l _ _ _ M S).
  assert (N : 0 <= (P ^ 2 / (1 + P ^ 2) - Q ^ 2 / (1 + Q ^ 2)) ^ 2) by apply pow2_ge_0.
  apply Rle_trans with (2 := Rmult_le_compat_r _ _ _ N VV).
  assert (P2 : 0 < P ^ 2) by (apply pow_lt; lra); assert (Q2 : 0 < Q ^ 2) by (apply pow_lt; lra).
  set (D := (1 + P ^ 2) ^ 2 * (1 + Q ^ 2) ^ 2 * (P * Q) ^ 2).
  assert (PQ : 0 < P * Q) by nra.
  assert (HD : 0 < D) by (unfold D; apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|]; apply pow_lt; lra).
  apply Rmult_le_reg_r with D; [exact HD|].
  replace ((P ^ 2 / (1 + P ^ 2) + Q ^ 2 / (1 + Q ^ 2)) / 2 * (1 - (P ^ 2 / (1 + P ^ 2) + Q ^ 2 / (1 + Q ^ 2)) / 2) * (4 * (P - Q) ^ 2 / (P * Q)) * D)
    with ((P - Q) ^ 2 * (P * Q) * ((P ^ 2 + Q ^ 2 + 2 * (P * Q) ^ 2) * (2 + P ^ 2 + Q ^ 2))) by (unfold D; field; repeat split; lra).
  replace ((2 + P ^ 2 + / P ^ 2 + (2 + Q ^ 2 + / Q ^ 2)) / 2 * (P ^ 2 / (1 + P ^ 2) - Q ^ 2 / (1 + Q ^ 2)) ^ 2 * D)
    with ((P - Q) ^ 2 * ((P + Q) ^ 2 * (P ^ 2 + Q ^ 2 + 4 * (P * Q) ^ 2 + (P * Q) ^ 2 * (P ^ 2 + Q ^ 2)) / 2)) by (unfold D; field; repeat split; lra).
  rewrite Rmult_assoc; apply Rmult_le_compat_l; [apply pow2_ge_0|].
  (* the difference is (P^2+Q^2) (1-PQ)^2 (P-Q)^2/2 *)
  assert (X : 0 <= (P ^ 2 + Q ^ 2) * ((1 - P * Q) ^ 2 * (P - Q) ^ 2) / 2).
  { apply Rmult_le_pos; [apply Rmult_le_pos; [lra|apply Rmult_le_pos; apply pow2_ge_0]|lra]. }
  nra.
Qed.

(* g >= w : |sigma x - sigma y| >= sigma'(B) |x - y|. *)
Lemma slope B x y : - B <= x <= B -> - B <= y <= B -> (x - y) ^ 2 <= V B ^ 2 * (sigma x - sigma y) ^ 2.
Proof.
  assert (D : forall z, is_derive sigma z (/ V z)).
  { intros z; assert (E := exp_pos (- z)); unfold sigma, V; auto_derive; [lra|].
    replace (exp z) with (/ exp (- z)) by (rewrite exp_Ropp, Rinv_inv; reflexivity); field; split; nra. }
  assert (G : forall x y, - B <= x -> x < y -> y <= B -> (x - y) ^ 2 <= V B ^ 2 * (sigma x - sigma y) ^ 2).
  { intros a b Ha H Hb; destruct (MVT_cor2 sigma (fun z => / V z) a b H) as [z [E I]].
    - intros z _; apply is_derive_Reals, D.
    - assert (Z := V_le B z ltac:(lra)).
      assert (P : 0 < V z) by (unfold V; generalize (exp_pos z) (exp_pos (- z)); lra).
      replace ((sigma a - sigma b) ^ 2) with ((/ V z) ^ 2 * (a - b) ^ 2) by (replace (sigma a - sigma b) with (- (sigma b - sigma a)) by ring; rewrite E; ring).
      rewrite <- Rmult_assoc, <- Rpow_mult_distr.
      assert (1 <= V B * / V z) by (apply Rmult_le_reg_r with (V z); [exact P|rewrite Rmult_assoc, Rinv_l by lra; lra]).
      assert (1 ^ 2 <= (V B * / V z) ^ 2) by (apply pow_incr; lra); generalize (pow2_ge_0 (a - b)); nra. }
  intros Hx Hy; destruct (Rtotal_order x y) as [H|[<-|H]]; [apply G; lra|right; ring|].
  replace ((x - y) ^ 2) with ((y - x) ^ 2) by ring.
  replace ((sigma x - sigma y) ^ 2) with ((sigma y - sigma x) ^ 2) by ring; apply G; lra.
Qed.

(* (p-q)^2 <= 8 m(1-m) (1 - rho), m = (p+q)/2. *)
Lemma affinity p q : 0 < p < 1 -> 0 < q < 1 ->
  (p - q) ^ 2 <= 8 * ((p + q) / 2 * (1 - (p + q) / 2)) * one_less_affinity p q.
Proof.
  intros Hp Hq; unfold one_less_affinity.
  assert (G : forall a b, 0 < a -> 0 < b -> (a - b) ^ 2 <= 2 * (a + b) * (sqrt a - sqrt b) ^ 2).
  { intros a b A B; assert (A1 := sqrt_sqrt a ltac:(lra)); assert (B1 := sqrt_sqrt b ltac:(lra)).
    revert A1 B1; generalize (sqrt a) (sqrt b); intros r t A1 B1; subst a b.
    replace ((r * r - t * t) ^ 2) with ((r + t) ^ 2 * (r - t) ^ 2) by ring.
    apply Rmult_le_compat_r; [apply pow2_ge_0|generalize (pow2_ge_0 (r - t)); nra]. }
  assert (X := G p q ltac:(lra) ltac:(lra)); assert (Y := G (1 - p) (1 - q) ltac:(lra) ltac:(lra)).
  replace ((1 - p - (1 - q)) ^ 2) with ((p - q) ^ 2) in Y by ring.
  set (u := (sqrt p - sqrt q) ^ 2) in *; set (v := (sqrt (1 - p) - sqrt (1 - q)) ^ 2) in *; set (d := (p - q) ^ 2) in *.
  assert (T : 0 < p + q) by lra; assert (T' : 0 < 2 - (p + q)) by lra; set (t := p + q) in *.
  (* d <= 2 t u and d <= 2 (2-t) v, so d = d (2-t)/2 + d t/2 <= t (2-t) (u + v) *)
  assert (d * (2 - t) <= 2 * t * u * (2 - t)) by (apply Rmult_le_compat_r; lra).
  assert (d * t <= 2 * (1 - p + (1 - q)) * v * t) by (apply Rmult_le_compat_r; lra).
  replace (1 - p + (1 - q)) with (2 - t) in * by (unfold t; ring); nra.
Qed.

Theorem lemma_2_holds : lemma_2.
Proof.
  intros B eps x y He Hx Hy.
  assert (E : 1 < exp eps) by (rewrite <- exp_0; apply exp_increasing, He).
  assert (S : forall z, 0 < sigma z < 1).
  { intros z; unfold sigma; generalize (exp_pos (- z)); intro H; split; [apply Rinv_0_lt_compat; lra|].
    rewrite <- Rinv_1; apply Rinv_lt_contravar; lra. }
  assert (K : 0 < keep eps < 1).
  { unfold keep; split; [apply Rdiv_lt_0_compat; lra|apply Rmult_lt_reg_r with (1 + exp eps); [lra|field_simplify; lra]]. }
  assert (Rp : forall z, 0 < p eps z < 1) by (intros z; specialize (S z); unfold p; nra).
  assert (A := affinity _ _ (Rp x) (Rp y)); set (h := one_less_affinity (p eps x) (p eps y)) in *.
  assert (h0 : 0 <= h) by (unfold h, one_less_affinity; apply Rmult_le_pos; [|lra]; apply Rplus_le_le_0_compat; apply pow2_ge_0).
  set (s := 2 * keep eps - 1).
  assert (s0 : 0 < s) by (unfold s; replace (2 * keep eps - 1) with ((exp eps - 1) / (exp eps + 1)) by (unfold keep; field; lra); apply Rdiv_lt_0_compat; lra).
  assert (k : keep eps * (1 - keep eps) = kappa eps * s ^ 2) by (unfold s, keep, kappa; field; lra).
  replace (p eps x - p eps y) with (s * (sigma x - sigma y)) in A by (unfold p, s; ring).
  assert (Mid : (p eps x + p eps y) / 2 * (1 - (p eps x + p eps y) / 2) = s ^ 2 * (kappa eps + middle x y)).
  { rewrite Rmult_plus_distr_l, (Rmult_comm (s ^ 2) (kappa eps)), <- k; unfold p, middle, s; field. }
  rewrite Mid in A; clear Mid k.
  assert (C := core B x y Hx Hy); assert (L := slope B x y Hx Hy).
  assert (k0 : 0 < kappa eps) by (unfold kappa; apply Rdiv_lt_0_compat; [lra|apply pow_lt; lra]).
  assert (m0 : 0 <= middle x y) by (unfold middle; assert (X := S x); assert (Y := S y); nra).
  set (d := (x - y) ^ 2) in *; set (e2 := (sigma x - sigma y) ^ 2) in *; unfold W.
  (* e2 <= 8 (kappa + v) h, and (kappa + v) d <= W e2 *)
  assert (A' : e2 <= 8 * (kappa eps + middle x y) * h).
  { apply Rmult_le_reg_l with (s ^ 2); [apply pow_lt; lra|].
    replace (s ^ 2 * e2) with ((s * (sigma x - sigma y)) ^ 2) by (unfold e2; ring); lra. }
  assert (B' : (kappa eps + middle x y) * d <= (V B + kappa eps * V B ^ 2) * e2).
  { assert (kappa eps * d <= kappa eps * (V B ^ 2 * e2)) by (apply Rmult_le_compat_l; lra); lra. }
  assert (V0 : 0 < V B) by (unfold V; generalize (exp_pos B) (exp_pos (- B)); lra).
  assert (W0 : 0 < V B + kappa eps * V B ^ 2) by (assert (0 < V B ^ 2) by (apply pow_lt; lra); nra).
  apply Rmult_le_reg_l with (kappa eps + middle x y); [lra|].
  apply Rle_trans with (1 := B').
  apply Rle_trans with ((V B + kappa eps * V B ^ 2) * (8 * (kappa eps + middle x y) * h)); [apply Rmult_le_compat_l; lra|right; ring].
Qed.

Print Assumptions lemma_2_holds.
