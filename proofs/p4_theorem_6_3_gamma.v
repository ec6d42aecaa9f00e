(* P4 (arXiv 2505.15694), Theorem 6.3: "for ... gamma = 1/(2 + exp(-beta B) + exp(beta B)) and some universal constant C > 0", under the
   conditions of Proposition 4.6: Assumption 4.5 (||phi|| <= 1, theta* and theta_sft in Theta_B = {<1, theta> = 0, ||theta|| <= B}),
   theta_true = beta (theta* - theta_sft), x = phi(s, a1) - phi(s, a0), labels logistic with margin <theta_true, x>.
   gamma is the least slope of the sigmoid, by which Algorithm 1's loss is strongly convex, as in Theorem 5.4.

   gamma_too_large:  it is not: for every beta, B > 0 there are theta*, theta_sft in Theta_B and features of norm 1 for which the slope
                     at the margin is at most 4 e^(-3 beta B) gamma, and below gamma.
   slope_is:         that slope, 1/(2 + e^-m + e^m), is the derivative of the sigmoid at m.
   margins:          and the margins that Assumption 4.5 allows are all in [-4 beta B, 4 beta B], the extremes of which occur, so that
                     1/(2 + exp(-4 beta B) + exp(4 beta B)) is right.  (With theta_sft = 0 it is 2 beta B.)
   Line by line: dimension 2; in Assumption 4.5 only theta* is said to be in Theta_B, so that theta_sft in Theta_B assumes more.
   What it does not say: that the bound of Theorem 6.3 is exceeded (p4_theorem_6_3_false.v says that): this is the constant of strong
       convexity in its proof. *)

Require Import Reals Lra Psatz.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

Definition sigma (x : R) : R := / (1 + exp (- x)).
Definition slope (m : R) : R := / (2 + exp (- m) + exp m).
Definition gamma (beta B : R) : R := / (2 + exp (- (beta * B)) + exp (beta * B)).
Definition vector := (R * R)%type.
Definition dot (v w : vector) : R := fst v * fst w + snd v * snd w.
Definition minus (v w : vector) : vector := (fst v - fst w, snd v - snd w).
Definition in_Theta (B : R) (theta : vector) : Prop := dot (1, 1) theta = 0 /\ sqrt (dot theta theta) <= B.
Definition feature (v : vector) : Prop := sqrt (dot v v) <= 1.
Definition margin (beta : R) (star sft phi1 phi0 : vector) : R := beta * dot (minus star sft) (minus phi1 phi0).

Definition slope_is : Prop := forall m : R, is_derive sigma m (slope m).

Definition gamma_too_large : Prop := forall beta B : R, 0 < beta -> 0 < B -> exists star sft phi1 phi0 : vector,
  in_Theta B star /\ in_Theta B sft /\ feature phi1 /\ feature phi0 /\
  slope (margin beta star sft phi1 phi0) <= 4 * exp (- (3 * (beta * B))) * gamma beta B /\
  slope (margin beta star sft phi1 phi0) < gamma beta B.

Definition margins : Prop := forall (beta B : R) (star sft phi1 phi0 : vector), 0 < beta -> 0 < B ->
  in_Theta B star -> in_Theta B sft -> feature phi1 -> feature phi0 -> Rabs (margin beta star sft phi1 phi0) <= 4 * (beta * B).

(* ---- proofs ---- *)

Theorem slope_is_holds : slope_is.
Proof.
  intros x; assert (P := exp_pos (- x)); unfold sigma; auto_derive; [lra|unfold slope].
  replace (exp x) with (/ exp (- x)) by (rewrite exp_Ropp, Rinv_inv; reflexivity); field; nra.
Qed.

Lemma root_below v B : 0 <= B -> dot v v <= B ^ 2 -> sqrt (dot v v) <= B.
Proof. intros HB H; rewrite <- (sqrt_pow2 B) by exact HB; now apply sqrt_le_1_alt. Qed.
Lemma root_2 : sqrt 2 * sqrt 2 = 2 /\ 0 < sqrt 2.
Proof. split; [apply sqrt_sqrt; lra|apply sqrt_lt_R0; lra]. Qed.

Theorem gamma_too_large_holds : gamma_too_large.
Proof.
  intros beta B Hb HB; destruct root_2 as [R2 R0]; set (i := / sqrt 2); assert (I : i * i = 1 / 2).
  { unfold i; rewrite <- Rinv_mult, R2; field. }
  exists (B * i, - (B * i)), (- (B * i), B * i), (i, - i), (- i, i).
  assert (T : forall s, s = 1 \/ s = -1 -> in_Theta B (s * (B * i), s * - (B * i))).
  { intros s Hs; split; [unfold dot; simpl; ring|apply root_below; [lra|unfold dot; simpl]].
    replace (s * (B * i) * (s * (B * i)) + s * - (B * i) * (s * - (B * i))) with (2 * (s * s) * (B * B) * (i * i)) by ring.
    rewrite I; destruct Hs as [-> | ->]; right; field. }
  assert (M : margin beta (B * i, - (B * i)) (- (B * i), B * i) (i, - i) (- i, i) = 4 * (beta * B)).
  { unfold margin, dot, minus; simpl; replace (beta * ((B * i - - (B * i)) * (i - - i) + (- (B * i) - B * i) * (- i - i))) with (8 * (beta * B) * (i * i)) by ring; rewrite I; field. }
  rewrite M; set (y := beta * B); assert (Y : 0 < y) by (apply Rmult_lt_0_compat; lra).
  assert (E4 := exp_pos (4 * y)); assert (Em4 := exp_pos (- (4 * y))); assert (E1 := exp_pos y); assert (Em1 := exp_pos (- y)).
  split; [|split; [|split; [|split; [|split]]]].
  - replace (B * i, - (B * i)) with (1 * (B * i), 1 * - (B * i)) by (f_equal; ring); apply T; now left.
  - replace (- (B * i), B * i) with (-1 * (B * i), -1 * - (B * i)) by (f_equal; ring); apply T; now right.
  - apply root_below; [lra|unfold dot; simpl; nra].
  - apply root_below; [lra|unfold dot; simpl; nra].
  - unfold slope, gamma; fold y.
    apply Rle_trans with (exp (- (4 * y))).
    + rewrite (exp_Ropp (4 * y)) in Em4 |- *; apply Rinv_le_contravar; lra.
    + replace (exp (- (4 * y))) with (exp (- (3 * y)) * exp (- y)) by (rewrite <- exp_plus; f_equal; ring).
      assert (Q : exp (- y) <= 4 * / (2 + exp (- y) + exp y)).
      { assert (U : 1 < exp y) by (rewrite <- exp_0; apply exp_increasing; lra).
        rewrite exp_Ropp; set (e := exp y) in *; apply Rmult_le_reg_r with ((2 + / e + e) * e); [apply Rmult_lt_0_compat; [assert (0 < / e) by (apply Rinv_0_lt_compat; lra); lra|lra]|].
        replace (/ e * ((2 + / e + e) * e)) with (2 + / e + e) by (field; lra).
        replace (4 * / (2 + / e + e) * ((2 + / e + e) * e)) with (4 * e) by (field; split; [lra|]; nra).
        assert (/ e < 1) by (rewrite <- Rinv_1; apply Rinv_lt_contravar; lra); lra. }
      generalize (exp_pos (- (3 * y))); nra.
  - unfold slope, gamma; fold y; apply Rinv_lt_contravar; [apply Rmult_lt_0_compat; lra|].
    assert (A : exp y < exp (4 * y)) by (apply exp_increasing; lra).
    assert (U : 1 < exp y) by (rewrite <- exp_0; apply exp_increasing; lra).
    assert (F : exp (4 * y) = exp y * exp (3 * y)) by (rewrite <- exp_plus; f_equal; ring).
    assert (G := exp_ineq1 (3 * y) ltac:(lra)); assert (W : exp (- y) < 1) by (rewrite <- exp_0; apply exp_increasing; lra).
    assert (V : 1 < exp (3 * y)) by lra; assert (V2 : exp y <= exp (3 * y)) by (left; apply exp_increasing; lra).
    assert (D : exp (- y) - exp (- (4 * y)) <= exp (4 * y) - exp y - 0).
    { rewrite !exp_Ropp, F; set (e := exp y) in *; set (k := exp (3 * y)) in *.
      replace (/ e - / (e * k)) with ((k - 1) * / (e * k)) by (field; lra).
      assert (0 < / (e * k) <= 1) by (split; [apply Rinv_0_lt_compat; nra|rewrite <- Rinv_1; apply Rinv_le_contravar; nra]); nra. }
    assert (D' : exp (- y) - exp (- (4 * y)) < exp (4 * y) - exp y); [|lra].
    { rewrite !exp_Ropp, F; set (e := exp y) in *; set (k := exp (3 * y)) in *.
      replace (/ e - / (e * k)) with ((k - 1) * / (e * k)) by (field; lra).
      assert (0 < / (e * k) < 1) by (split; [apply Rinv_0_lt_compat; nra|rewrite <- Rinv_1; apply Rinv_lt_contravar; nra]); nra. }
Qed.

Lemma cauchy v w : dot v w ^ 2 <= dot v v * dot w w.
Proof. destruct v as [a b], w as [x y]; unfold dot; simpl; generalize (pow2_ge_0 (a * y - b * x)); nra. Qed.
Lemma dot_pos v : 0 <= dot v v.
Proof. destruct v as [a b]; unfold dot; simpl; generalize (pow2_ge_0 a) (pow2_ge_0 b); nra. Qed.
Lemma of_root v B : 0 <= B -> sqrt (dot v v) <= B -> dot v v <= B ^ 2.
Proof. intros HB H; rewrite <- (pow2_sqrt (dot v v)) by apply dot_pos; apply pow_incr; split; [apply sqrt_pos|exact H]. Qed.
Lemma twice v w B : 0 <= B -> dot v v <= B ^ 2 -> dot w w <= B ^ 2 -> dot (minus v w) (minus v w) <= (2 * B) ^ 2.
Proof.
  intros HB Hv Hw; destruct v as [a b], w as [x y]; unfold dot, minus in *; simpl in *; generalize (pow2_ge_0 (a + x)) (pow2_ge_0 (b + y)); nra.
Qed.

Theorem margins_holds : margins.
Proof.
  intros beta B s t f g Hb HB [_ Hs] [_ Ht] Hf Hg.
  assert (V := twice s t B ltac:(lra) (of_root s B ltac:(lra) Hs) (of_root t B ltac:(lra) Ht)).
  assert (W := twice f g 1 ltac:(lra) (of_root f 1 ltac:(lra) Hf) (of_root g 1 ltac:(lra) Hg)).
  unfold margin; rewrite Rabs_mult, (Rabs_pos_eq beta) by lra.
  replace (4 * (beta * B)) with (beta * (4 * B)) by ring; apply Rmult_le_compat_l; [lra|].
  assert (C := cauchy (minus s t) (minus f g)); assert (P := dot_pos (minus s t)); assert (Q := dot_pos (minus f g)).
  set (d := dot (minus s t) (minus f g)) in *.
  assert (D : d ^ 2 <= (4 * B) ^ 2).
  { apply Rle_trans with (1 := C); replace ((4 * B) ^ 2) with ((2 * B) ^ 2 * (2 * 1) ^ 2) by ring; apply Rmult_le_compat; lra. }
  rewrite <- (Rabs_pos_eq (4 * B)) by lra; apply Rsqr_le_abs_0; unfold Rsqr; simpl in D; lra.
Qed.

Print Assumptions slope_is_holds.
Print Assumptions gamma_too_large_holds.
Print Assumptions margins_holds.
