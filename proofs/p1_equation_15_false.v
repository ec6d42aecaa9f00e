(* P1 (arXiv 2510.13512), eq. (15) in the proof of Lemma B.1.  Its last line bounds [sigma(x) - sigma(y)]^2 from below by
   e^B/(1+e^B)^2 (x-y)^2 = sigma'(B) (x-y)^2 for reward differences x, y in [-B, B], "from sigma'(x) >= e^B/(1+e^B)^2":
   a square is lost.

   last_line_false:     for every B > 0 there are x, y in [-B, B] where it fails.
   corrected:           with the square it holds for all x, y in [-B, B].
   equation_15_false:   not the last step alone but (15) as a whole is false at every eps once B is large: for one pair (s = 1)
                        the logarithm of the affinity, which the first line starts from, is larger than the last line
                        (log 1/delta cancels), at x = B and y = B - 1.
   at_eps_1_bound_10:   such as eps = 1, B = 10.
   Line by line: x and y are the reward differences r(s, a1) - r(s, a2) of two members of F with rewards in [0, B], so in
       [-B, B] as (15) has them; alpha is keep; private_plus is the law of the private label, (7).  Nothing else is assumed.
   What it does not say: that Lemma B.1 or Theorem 4.2 is false (p1_theorem_4_2_factor_false.v does); nor that (15) fails where
       eps is above B: at eps = infinity its end is true with its own 1/8. *)

Require Import Reals Lra Psatz.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

Definition sigma (x : R) := / (1 + exp (- x)).
Definition least_slope (B : R) := exp B / (1 + exp B) ^ 2.
Definition last_line_of_15 (B : R) := forall x y : R, - B <= x <= B -> - B <= y <= B ->
  least_slope B * (x - y) ^ 2 <= (sigma x - sigma y) ^ 2.

(* The whole of (15), one pair: the logarithm of E[sqrt(P_r/P_true)] under P_true is that of the affinity. *)
Definition private_plus (a x : R) := a * sigma x + (1 - a) * sigma (- x).
Definition affinity (a x y : R) :=
  sqrt (private_plus a x * private_plus a y) + sqrt ((1 - private_plus a x) * (1 - private_plus a y)).
Definition equation_15 (B a : R) := forall x y : R, - B <= x <= B -> - B <= y <= B ->
  ln (affinity a x y) <= - ((2 * a - 1) ^ 2 * least_slope B / 8 * (x - y) ^ 2).
Definition keep (eps : R) := exp eps / (1 + exp eps).

Definition corrected : Prop := forall B x y : R, - B <= x <= B -> - B <= y <= B ->
  least_slope B ^ 2 * (x - y) ^ 2 <= (sigma x - sigma y) ^ 2.

Definition last_line_false : Prop := forall B : R, 0 < B -> ~ last_line_of_15 B.

Definition equation_15_false : Prop := forall eps : R, 0 < eps ->
  exists B0, forall B, B0 <= B -> ~ equation_15 B (keep eps).

Definition at_eps_1_bound_10 : Prop := ~ equation_15 10 (keep 1).

(* ---- proofs ---- *)

Lemma sigma_derivative x : is_derive sigma x (least_slope x).
Proof.
  assert (P := exp_pos (- x)); unfold sigma; auto_derive; [lra|].
  unfold least_slope; replace (exp x) with (/ exp (- x)) by (rewrite exp_Ropp, Rinv_inv; reflexivity).
  field; lra.
Qed.

Lemma slope_between x y : x < y -> exists z, x < z < y /\ sigma y - sigma x = least_slope z * (y - x).
Proof.
  intros H; destruct (MVT_cor2 sigma least_slope x y H) as [z [E I]].
  - intros c _; apply is_derive_Reals, sigma_derivative.
  - exists z; split; assumption.
Qed.

Lemma least_slope_pos z : 0 < least_slope z <= / 4.
Proof.
  unfold least_slope; generalize (exp_pos z); generalize (exp z); intros e E; split.
  - apply Rdiv_lt_0_compat; [exact E|apply pow_lt; lra].
  - apply Rmult_le_reg_r with ((1 + e) ^ 2); [apply pow_lt; lra|].
    replace (e / (1 + e) ^ 2 * (1 + e) ^ 2) with e by (field; lra); generalize (pow2_ge_0 (1 - e)); nra.
Qed.

Lemma exp_le x y : x <= y -> exp x <= exp y.
Proof. intros [H|<-]; [left; apply exp_increasing, H|right; reflexivity]. Qed.

(* sigma' is least at the ends of [-B, B]. *)
Lemma least B z : - B <= z <= B -> least_slope B <= least_slope z.
Proof.
  intros [H1 H2]; apply exp_le in H1, H2; rewrite exp_Ropp in H1; unfold least_slope.
  generalize (exp_pos z) (exp_pos B); revert H1 H2; generalize (exp z) (exp B); intros e b H1 H2 E Bp.
  apply Rmult_le_reg_r with ((1 + b) ^ 2 * (1 + e) ^ 2); [apply Rmult_lt_0_compat; apply pow_lt; lra|].
  replace (b / (1 + b) ^ 2 * ((1 + b) ^ 2 * (1 + e) ^ 2)) with (b * (1 + e) ^ 2) by (field; lra).
  replace (e / (1 + e) ^ 2 * ((1 + b) ^ 2 * (1 + e) ^ 2)) with (e * (1 + b) ^ 2) by (field; lra).
  assert (1 <= b * e) by (apply Rmult_le_compat_l with (r := b) in H1; [rewrite Rinv_r in H1; lra|lra]).
  nra.
Qed.

Theorem corrected_holds : corrected.
Proof.
  assert (G : forall B x y, - B <= x -> x < y -> y <= B -> least_slope B ^ 2 * (x - y) ^ 2 <= (sigma x - sigma y) ^ 2).
  { intros B x y H1 H H2; destruct (slope_between x y H) as [z [I E]].
    assert (L := least B z ltac:(lra)); assert (P := least_slope_pos B).
    replace ((sigma x - sigma y) ^ 2) with (least_slope z ^ 2 * (x - y) ^ 2)
      by (replace (sigma x - sigma y) with (- (sigma y - sigma x)) by ring; rewrite E; ring).
    apply Rmult_le_compat_r; [apply pow2_ge_0|apply pow_incr; lra]. }
  intros B x y Hx Hy; destruct (Rtotal_order x y) as [H|[<-|H]].
  - apply G; lra.
  - right; ring.
  - replace ((x - y) ^ 2) with ((y - x) ^ 2) by ring.
    replace ((sigma x - sigma y) ^ 2) with ((sigma y - sigma x) ^ 2) by ring; apply G; lra.
Qed.

(* sigma' changes by at most a factor e^t over a step t. *)
Lemma near B z t : 0 <= t -> B - t <= z <= B -> least_slope z <= exp t * least_slope B.
Proof.
  intros Ht [H1 H2]; apply exp_le in H2; assert (H3 : exp B <= exp t * exp z) by (rewrite <- exp_plus; apply exp_le; lra).
  unfold least_slope; generalize (exp_pos z) (exp_pos B); revert H2 H3; generalize (exp z) (exp B) (exp t); intros e b k H2 H3 E Bp.
  assert (K : 1 <= k) by nra.
  apply Rmult_le_reg_r with ((1 + b) ^ 2 * (1 + e) ^ 2); [apply Rmult_lt_0_compat; apply pow_lt; lra|].
  replace (k * (b / (1 + b) ^ 2) * ((1 + b) ^ 2 * (1 + e) ^ 2)) with (k * b * (1 + e) ^ 2) by (field; lra).
  replace (e / (1 + e) ^ 2 * ((1 + b) ^ 2 * (1 + e) ^ 2)) with (e * (1 + b) ^ 2) by (field; lra).
  (* e (1+b)^2 <= k b (1+e)^2 as e <= b <= k e *)
  assert (e <= b * k) by nra.
  assert (e * b ^ 2 <= k * b * e ^ 2) by (replace (k * b * e ^ 2) with (e * b * (k * e)) by ring;
     replace (e * b ^ 2) with (e * b * b) by ring; apply Rmult_le_compat_l; nra).
  assert (2 * e * b <= 2 * k * b * e) by nra.
  nra.
Qed.

Lemma exp_half : exp (1 / 2) < 2.
Proof.
  assert (H := exp_ineq1 (- (1 / 2)) ltac:(lra)); rewrite exp_Ropp in H.
  apply Rmult_lt_reg_r with (/ exp (1 / 2)); [apply Rinv_0_lt_compat, exp_pos|].
  rewrite Rinv_r by (apply Rgt_not_eq, exp_pos); lra.
Qed.

Theorem last_line_false_holds : last_line_false.
Proof.
  intros B HB H; set (t := Rmin (1 / 2) B).
  assert (T : 0 < t <= 1 / 2 /\ t <= B) by (unfold t, Rmin; destruct (Rle_dec (1 / 2) B); lra).
  specialize (H B (B - t) ltac:(lra) ltac:(lra)).
  destruct (slope_between (B - t) B ltac:(lra)) as [z [I E]]; rewrite E in H.
  assert (N := near B z t ltac:(lra) ltac:(lra)); assert (P := least_slope_pos B); assert (Q := least_slope_pos z).
  assert (K : exp t < 2) by (apply Rle_lt_trans with (2 := exp_half), exp_le; lra).
  replace (B - (B - t)) with t in H by ring.
  (* sigma'(B) t^2 <= sigma'(z)^2 t^2, but sigma'(z)^2 <= (1/4) * e^t sigma'(B) < sigma'(B)/2 *)
  assert (S : least_slope z * least_slope z < least_slope B) by nra.
  assert (0 < t ^ 2) by (apply pow_lt; lra); nra.
Qed.

Lemma exp_1_le : exp 1 * exp 1 <= 9.
Proof. generalize exp_le_3 (exp_pos 1); nra. Qed.

(* (sqrt p - sqrt q)^2 <= (p-q)^2/(4m) where p, q >= m > 0. *)
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
  unfold sigma; generalize (exp_pos (- x)); intro H; split.
  - apply Rinv_0_lt_compat; lra.
  - rewrite <- Rinv_1; apply Rinv_lt_contravar; lra.
Qed.

Lemma sigma_opp x : sigma (- x) = 1 - sigma x.
Proof. unfold sigma; rewrite Ropp_involutive, exp_Ropp; generalize (exp_pos x); intro; field; lra. Qed.

Lemma fails_where_slope_is_small a B : 1 / 2 < a < 1 -> 1 <= B -> 36 * least_slope B < 1 - a -> ~ equation_15 B a.
Proof.
  intros Ha HB Hw H; specialize (H B (B - 1) ltac:(lra) ltac:(lra)).
  destruct (slope_between (B - 1) B ltac:(lra)) as [z [I E]].
  assert (N := near B z 1 ltac:(lra) ltac:(lra)); assert (P := least_slope_pos B); assert (Q := least_slope_pos z).
  assert (SB := sigma_range B); assert (SY := sigma_range (B - 1)).
  unfold affinity, private_plus in H; rewrite !sigma_opp in H.
  set (p := a * sigma B + (1 - a) * (1 - sigma B)) in H.
  set (q := a * sigma (B - 1) + (1 - a) * (1 - sigma (B - 1))) in H.
  assert (D : p - q = (2 * a - 1) * least_slope z).
  { unfold p, q; replace (sigma B) with (sigma (B - 1) + least_slope z) by lra; ring. }
  assert (Rp : 1 - a <= p <= a) by (unfold p; nra); assert (Rq : 1 - a <= q <= a) by (unfold q; nra).
  assert (G1 := root_gap (1 - a) p q ltac:(lra) ltac:(lra) ltac:(lra)).
  assert (G2 := root_gap (1 - a) (1 - p) (1 - q) ltac:(lra) ltac:(lra) ltac:(lra)).
  replace ((1 - p - (1 - q)) ^ 2) with ((p - q) ^ 2) in G2 by ring.
  rewrite (sqrt_mult p q), (sqrt_mult (1 - p) (1 - q)) in H by lra.
  assert (A1 := sqrt_sqrt p ltac:(lra)); assert (A2 := sqrt_sqrt q ltac:(lra)).
  assert (A3 := sqrt_sqrt (1 - p) ltac:(lra)); assert (A4 := sqrt_sqrt (1 - q) ltac:(lra)).
  set (A := sqrt p * sqrt q + sqrt (1 - p) * sqrt (1 - q)) in H.
  set (h := (p - q) ^ 2 / (4 * (1 - a))) in *.
  assert (LA : 1 - h <= A) by (unfold A; nra).
  (* h <= s^2 w^2 e^2/(4 (1-a)) < s^2 w/16 *)
  set (s := 2 * a - 1) in *; set (w := least_slope B) in *.
  assert (E2 := exp_1_le); assert (E0 := exp_pos 1).
  assert (Z : least_slope z ^ 2 <= 9 * w ^ 2).
  { apply Rle_trans with ((exp 1 * w) ^ 2); [apply pow_incr; lra|].
    replace ((exp 1 * w) ^ 2) with (exp 1 * exp 1 * w ^ 2) by ring; apply Rmult_le_compat_r; [apply pow2_ge_0|exact E2]. }
  assert (S0 : 0 < s ^ 2 <= 1) by (unfold s; nra).
  assert (Hh : 0 <= h < s ^ 2 * w / 16).
  { unfold h; rewrite D; split; [apply Rmult_le_pos; [apply pow2_ge_0|left; apply Rinv_0_lt_compat; lra]|].
    apply Rmult_lt_reg_r with (4 * (1 - a)); [lra|].
    replace ((s * least_slope z) ^ 2 / (4 * (1 - a)) * (4 * (1 - a))) with (s ^ 2 * least_slope z ^ 2) by (field; lra).
    apply Rle_lt_trans with (s ^ 2 * (9 * w ^ 2)); [apply Rmult_le_compat_l; lra|].
    assert (s ^ 2 * w * (36 * w) < s ^ 2 * w * (1 - a)) by (apply Rmult_lt_compat_l; [apply Rmult_lt_0_compat; lra|exact Hw]).
    nra. }
  assert (SW : 0 < s ^ 2 * w <= / 4) by nra.
  replace (B - (B - 1)) with 1 in H by ring.
  (* 1 - 1/A <= log A *)
  assert (Ap : 0 < A) by lra.
  assert (L : 1 - / A <= ln A).
  { assert (X := exp_ineq1_le (- ln A)); rewrite exp_Ropp, exp_ln in X by exact Ap; lra. }
  assert (IA : / A <= / (1 - h)) by (apply Rinv_le_contravar; lra).
  assert (IH : / (1 - h) <= 1 + 2 * h).
  { apply Rmult_le_reg_r with (1 - h); [lra|rewrite Rinv_l by lra; nra]. }
  lra.
Qed.

Lemma slope_small B : 0 <= B -> least_slope B <= / exp B.
Proof.
  intros HB; unfold least_slope; generalize (exp_pos B); generalize (exp B); intros e E.
  apply Rmult_le_reg_r with (e * (1 + e) ^ 2); [apply Rmult_lt_0_compat; [lra|apply pow_lt; lra]|].
  replace (e / (1 + e) ^ 2 * (e * (1 + e) ^ 2)) with (e * e) by (field; lra).
  replace (/ e * (e * (1 + e) ^ 2)) with ((1 + e) ^ 2) by (field; lra); nra.
Qed.

Lemma keep_range eps : 0 < eps -> 1 / 2 < keep eps < 1 /\ 1 - keep eps = / (1 + exp eps).
Proof.
  intros He; assert (E : 1 < exp eps) by (rewrite <- exp_0; apply exp_increasing, He).
  assert (1 - keep eps = / (1 + exp eps)) by (unfold keep; field; lra).
  assert (0 < / (1 + exp eps)) by (apply Rinv_0_lt_compat; lra).
  assert (/ (1 + exp eps) < / 2) by (apply Rinv_lt_contravar; lra); repeat split; lra.
Qed.

Theorem equation_15_false_holds : equation_15_false.
Proof.
  intros eps He; destruct (keep_range eps He) as [K1 K2]; exists (36 * (1 + exp eps)); intros B HB.
  assert (E := exp_pos eps); apply fails_where_slope_is_small; [exact K1|lra|rewrite K2].
  assert (S := slope_small B ltac:(lra)); assert (X := exp_ineq1 B ltac:(lra)).
  apply Rle_lt_trans with (36 * / exp B); [lra|].
  apply Rmult_lt_reg_r with (exp B); [apply exp_pos|rewrite Rmult_assoc, Rinv_l by (apply Rgt_not_eq, exp_pos)].
  apply Rmult_lt_reg_l with (1 + exp eps); [lra|].
  replace ((1 + exp eps) * (/ (1 + exp eps) * exp B)) with (exp B) by (field; lra); lra.
Qed.

Theorem at_eps_1_bound_10_holds : at_eps_1_bound_10.
Proof.
  destruct (keep_range 1 ltac:(lra)) as [K1 K2]; apply fails_where_slope_is_small; [exact K1|lra|rewrite K2].
  assert (S := slope_small 10 ltac:(lra)); assert (X := exp_ineq1 1 ltac:(lra)).
  assert (T : exp 1 ^ 10 = exp 10) by (rewrite <- Rpower_pow by apply exp_pos; unfold Rpower; rewrite ln_exp; f_equal; simpl; ring).
  assert (P : 2 ^ 10 <= exp 10) by (rewrite <- T; apply pow_incr; lra).
  assert (/ exp 10 <= / 2 ^ 10) by (apply Rinv_le_contravar; [apply pow_lt; lra|exact P]).
  assert (/ 4 <= / (1 + exp 1)) by (apply Rinv_le_contravar; [lra|generalize exp_le_3; lra]).
  assert (V : / 2 ^ 10 = / 1024) by (f_equal; ring); lra.
Qed.

Print Assumptions corrected_holds.
Print Assumptions last_line_false_holds.
Print Assumptions equation_15_false_holds.
Print Assumptions at_eps_1_bound_10_holds.
