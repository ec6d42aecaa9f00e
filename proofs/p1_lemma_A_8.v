(* P1 (arXiv 2510.13512), Lemma A.8: "Let sigma(x) = 1/(1+e^-x) and f(x) = (2 sigma(x) - 1)(2 alpha - 1) for a fixed alpha in (0.5, 1].
   For any B >= 0 and any x, x' in [-B, B],  |x - x'| <= (e^-B + 2 + e^B)/(2 (2 alpha - 1)) |f(x) - f(x')|."

   lemma_A_8:  as printed.
   Line by line: all of its assumptions, no other.
   What it does not say: nothing more. *)

Require Import Reals Lra Psatz.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

Definition sigma (x : R) : R := / (1 + exp (- x)).
Definition f (alpha x : R) : R := (2 * sigma x - 1) * (2 * alpha - 1).

Definition lemma_A_8 : Prop := forall alpha B x y : R, 1 / 2 < alpha <= 1 -> 0 <= B -> - B <= x <= B -> - B <= y <= B ->
  Rabs (x - y) <= (exp (- B) + 2 + exp B) / (2 * (2 * alpha - 1)) * Rabs (f alpha x - f alpha y).

(* ---- proofs ---- *)

Definition slope (x : R) : R := / (2 + exp x + exp (- x)).
Lemma sigma_derivative x : is_derive sigma x (slope x).
Proof.
  assert (P := exp_pos (- x)); unfold sigma; auto_derive; [lra|unfold slope].
  replace (exp x) with (/ exp (- x)) by (rewrite exp_Ropp, Rinv_inv; reflexivity); field; nra.
Qed.
Lemma exp_le x y : x <= y -> exp x <= exp y.
Proof. intros [H|<-]; [left; apply exp_increasing, H|right; reflexivity]. Qed.
Lemma widest B x : - B <= x <= B -> 2 + exp x + exp (- x) <= 2 + exp B + exp (- B).
Proof.
  intros [H1 H2]; rewrite !exp_Ropp; apply exp_le in H1, H2; rewrite exp_Ropp in H1.
  generalize (exp_pos x) (exp_pos B); revert H1 H2; generalize (exp x) (exp B); intros a b H1 H2 A Bp.
  assert (Q : 1 <= a * b) by (apply Rmult_le_compat_r with (r := b) in H1; [rewrite Rinv_l in H1; lra|lra]).
  assert (0 <= (b - a) * (1 - / (a * b))).
  { apply Rmult_le_pos; [lra|]. assert (/ (a * b) <= / 1) by (apply Rinv_le_contravar; lra); rewrite Rinv_1 in *; lra. }
  replace (2 + b + / b) with (2 + a + / a + (b - a) * (1 - / (a * b))) by (field; lra); lra.
Qed.
Lemma ordered B x y : - B <= x -> x < y -> y <= B -> (y - x) <= (2 + exp B + exp (- B)) * (sigma y - sigma x).
Proof.
  intros H1 H H2; destruct (MVT_cor2 sigma slope x y H) as [z [E I]]; [intros c _; apply is_derive_Reals, sigma_derivative|].
  rewrite E; assert (W := widest B z ltac:(lra)); assert (P := exp_pos z); assert (Q := exp_pos (- z)); unfold slope.
  set (w := 2 + exp z + exp (- z)) in *; set (W' := 2 + exp B + exp (- B)) in *.
  replace (y - x) with (w * (/ w * (y - x))) at 1 by (field; unfold w; lra).
  apply Rmult_le_compat_r; [apply Rmult_le_pos; [left; apply Rinv_0_lt_compat; unfold w; lra|lra]|exact W].
Qed.

Theorem lemma_A_8_holds : lemma_A_8.
Proof.
  intros alpha B x y Ha HB Hx Hy; unfold f.
  replace ((2 * sigma x - 1) * (2 * alpha - 1) - (2 * sigma y - 1) * (2 * alpha - 1)) with (2 * (2 * alpha - 1) * (sigma x - sigma y)) by ring.
  rewrite Rabs_mult, (Rabs_pos_eq (2 * (2 * alpha - 1))) by lra.
  replace ((exp (- B) + 2 + exp B) / (2 * (2 * alpha - 1)) * (2 * (2 * alpha - 1) * Rabs (sigma x - sigma y)))
    with ((2 + exp B + exp (- B)) * Rabs (sigma x - sigma y)) by (field; lra).
  assert (P := exp_pos B); assert (Q := exp_pos (- B)); destruct (Rtotal_order x y) as [H|[<-|H]].
  - assert (O := ordered B x y ltac:(lra) H ltac:(lra)); assert (0 <= sigma y - sigma x) by nra.
    rewrite (Rabs_left1 (x - y)), (Rabs_left1 (sigma x - sigma y)) by lra; lra.
  - rewrite !Rminus_eq_0, Rabs_R0; lra.
  - assert (O := ordered B y x ltac:(lra) H ltac:(lra)); assert (0 <= sigma x - sigma y) by nra.
    rewrite (Rabs_pos_eq (x - y)), (Rabs_pos_eq (sigma x - sigma y)) by lra; lra.
Qed.

Print Assumptions lemma_A_8_holds.
