(* P3, Lemma A.7 (Algorithm 2): "Let sigma^2 = 64 log(1/delta) L^4/(eps^2 n^2) and G ~ N(0, sigma^2)^(d x d).  Then
   Sigma~_D = Sigma_D + G is (eps/2, delta/2)-differentially private", with Sigma_D = (1/n) sum_i x_i x_i^T.

   false_as_printed: for every dimension d >= 1, L > 0 and n >= 1 it is not, at eps = 1 and delta = e^-25, neither if neighbours
                     differ by one record replaced nor if by one added or removed (Definition 2.2 writes ||D - D'||_1 <= 1).
   Line by line: Algorithm 2 asks for eps <= 1 and delta <= 1/n^2, which holds for n up to 268337; the lemma itself has neither.
       x_i is a difference of features of norm at most L, so of norm at most 2L.  With addition and removal n is public: the
       smaller dataset is divided by the same n, and gets the same noise.  Privacy is asked of intervals for the first entry
       of the matrix only, which the lemma implies: the entries of the noise are independent, so that this entry is a normal
       variable by itself; the probability that a normal variable lies in [a, b] is the integral of its density.
   What it does not say: how far from private the release is, nor that it fails at delta near 1/n^2 for small n; nor anything
       about the noise calibrated in docs/explanations/printed_privacy.md. *)

Require Import Reals Lra Psatz List.
From Coquelicot Require Import Coquelicot.
Import ListNotations.
Open Scope R_scope.

Definition density (m s x : R) : R := / (s * sqrt (2 * PI)) * exp (- ((x - m) / s) ^ 2 / 2).
Definition normal (m s a b : R) : R := RInt (density m s) a b.

(* A record is the difference of two features of norm at most L in dimension d. *)
Definition record := nat -> R.
Fixpoint norm2 (d : nat) (x : record) : R := match d with O => 0 | S k => x k ^ 2 + norm2 k x end.
Definition dataset (d : nat) (L : R) (D : list record) : Prop := forall x, In x D -> norm2 d x <= (2 * L) ^ 2.
Definition Sigma_D (n : nat) (D : list record) (i j : nat) : R := / INR n * fold_right (fun x s => x i * x j + s) 0 D.

Definition replaced (D D' : list record) : Prop := exists before x x' after,
  D = before ++ x :: after /\ D' = before ++ x' :: after.
Definition one_more (D D' : list record) : Prop := exists before x after, D = before ++ x :: after /\ D' = before ++ after.
Definition added_or_removed (D D' : list record) : Prop := one_more D D' \/ one_more D' D.

(* (eps, delta)-differential privacy of Sigma_D + N(0, s^2)^(d x d), asked of intervals for the first entry only. *)
Definition private (neighbours : list record -> list record -> Prop) (d : nat) (L : R) (n : nat) (s eps delta : R) : Prop :=
  forall D D' : list record, dataset d L D -> dataset d L D' -> neighbours D D' -> Nat.max (length D) (length D') = n ->
  forall a b : R, a <= b -> normal (Sigma_D n D 0 0) s a b <= exp eps * normal (Sigma_D n D' 0 0) s a b + delta.
Definition printed_sigma (L : R) (n : nat) (eps delta : R) : R :=
  sqrt (64 * ln (1 / delta) * L ^ 4 / (eps ^ 2 * INR n ^ 2)).
Definition lemma_A_7 (neighbours : list record -> list record -> Prop) (d : nat) (L : R) (n : nat) (eps delta : R) : Prop :=
  private neighbours d L n (printed_sigma L n eps delta) (eps / 2) (delta / 2).

Definition false_as_printed : Prop := forall (d : nat) (L : R) (n : nat), 0 < L -> (1 <= n)%nat ->
  ~ lemma_A_7 replaced d L n 1 (exp (- 25)) /\ ~ lemma_A_7 added_or_removed d L n 1 (exp (- 25)).

(* ---- proofs ---- *)

Lemma density_continuous m s x : continuous (density m s) x.
Proof.
  unfold density; apply (ex_derive_continuous (V := R_NormedModule)); auto_derive; trivial.
Qed.

Lemma integrable m s a b : ex_RInt (density m s) a b.
Proof. apply (ex_RInt_continuous (V := R_CompleteNormedModule)); intros; apply density_continuous. Qed.

Lemma exp_le x y : x <= y -> exp x <= exp y.
Proof. intros [H|<-]; [left; apply exp_increasing, H|right; reflexivity]. Qed.

(* On [m' + 5.5 s, m' + 6 s] the density around m = m' + s/10 exceeds e^(1/2) times that around m' by this. *)
Lemma excess m s x : 0 < s -> m + 55 / 10 * s <= x <= m + 6 * s ->
  exp (1 / 2) * density m s x + / (s * sqrt (2 * PI)) * (exp (- 18) * (45 / 1000)) <= density (m + s / 10) s x.
Proof.
  intros Hs Hx; unfold density.
  assert (P : 0 < / (s * sqrt (2 * PI))).
  { apply Rinv_0_lt_compat, Rmult_lt_0_compat; [exact Hs|apply sqrt_lt_R0; generalize PI_RGT_0; lra]. }
  set (k := / (s * sqrt (2 * PI))) in *; set (y := (x - m) / s).
  assert (Y : 55 / 10 <= y <= 6).
  { assert (X : y * s = x - m) by (unfold y; field; lra); split; apply Rmult_le_reg_r with s; lra. }
  replace ((x - (m + s / 10)) / s) with (y - 1 / 10) by (unfold y; field; lra).
  assert (E : - (y - 1 / 10) ^ 2 / 2 = (1 / 2 + (- y ^ 2 / 2)) + (y / 10 - 1 / 200 - 1 / 2)) by field.
  assert (G : exp (1 / 2) * exp (- y ^ 2 / 2) + exp (- 18) * (45 / 1000) <= exp (- (y - 1 / 10) ^ 2 / 2)).
  { rewrite E, exp_plus, (exp_plus (1 / 2)).
    assert (A := exp_ineq1_le (y / 10 - 1 / 200 - 1 / 2)).
    assert (B := exp_ineq1_le (1 / 2)); assert (C : exp (- 18) <= exp (- y ^ 2 / 2)) by (apply exp_le; nra).
    assert (F := exp_pos (- 18)).
    assert (M : exp (- 18) <= exp (1 / 2) * exp (- y ^ 2 / 2)) by nra.
    revert A M; generalize (exp (1 / 2) * exp (- y ^ 2 / 2)) (exp (y / 10 - 1 / 200 - 1 / 2)); intros; nra. }
  replace (exp (1 / 2) * (k * exp (- y ^ 2 / 2)) + k * (exp (- 18) * (45 / 1000)))
    with (k * (exp (1 / 2) * exp (- y ^ 2 / 2) + exp (- 18) * (45 / 1000))) by ring.
  apply Rmult_le_compat_l; [lra|exact G].
Qed.

Lemma difference m s : 0 < s ->
  exp (1 / 2) * normal m s (m + 55 / 10 * s) (m + 6 * s) + exp (- 18) * (225 / 10000) / sqrt (2 * PI)
  <= normal (m + s / 10) s (m + 55 / 10 * s) (m + 6 * s).
Proof.
  intros Hs; unfold normal; set (a := m + 55 / 10 * s); set (b := m + 6 * s).
  assert (Hab : a <= b) by (unfold a, b; lra).
  assert (Q : 0 < sqrt (2 * PI)) by (apply sqrt_lt_R0; generalize PI_RGT_0; lra).
  set (k := / (s * sqrt (2 * PI)) * (exp (- 18) * (45 / 1000))).
  assert (I1 : is_RInt (fun x => exp (1 / 2) * density m s x) a b (exp (1 / 2) * RInt (density m s) a b)).
  { apply (is_RInt_scal (V := R_NormedModule)), (RInt_correct (V := R_CompleteNormedModule)), integrable. }
  assert (I2 : is_RInt (fun _ => k) a b ((b - a) * k)) by apply (is_RInt_const (V := R_NormedModule)).
  assert (I3 := is_RInt_plus (V := R_NormedModule) _ _ _ _ _ _ I1 I2).
  assert (I4 := RInt_correct (V := R_CompleteNormedModule) _ _ _ (integrable (m + s / 10) s a b)).
  assert (L := is_RInt_le _ _ a b _ _ Hab I3 I4).
  replace (exp (- 18) * (225 / 10000) / sqrt (2 * PI)) with ((b - a) * k) by (unfold k, a, b; field; lra).
  apply L; intros x Hx; unfold k, plus; simpl; apply excess; [exact Hs|unfold a, b in Hx; lra].
Qed.

(* e^-25/2 is less than that excess. *)
Lemma enough : exp (- 25) / 2 < exp (- 18) * (225 / 10000) / sqrt (2 * PI).
Proof.
  assert (Q : 0 < sqrt (2 * PI) < 3).
  { split; [apply sqrt_lt_R0; generalize PI_RGT_0; lra|].
    replace 3 with (sqrt (3 * 3)) by (apply sqrt_square; lra); apply sqrt_lt_1; generalize PI_RGT_0 PI_4; lra. }
  assert (E : exp (- 18) = exp 7 * exp (- 25)) by (rewrite <- exp_plus; f_equal; ring).
  assert (X : 2 ^ 7 <= exp 7).
  { replace (exp 7) with (exp 1 ^ 7) by (simpl; rewrite Rmult_1_r, <- !exp_plus; f_equal; ring).
    apply pow_incr; generalize (exp_ineq1_le 1); lra. }
  assert (P := exp_pos (- 25)); rewrite E.
  apply Rmult_lt_reg_r with (sqrt (2 * PI)); [lra|].
  replace (exp 7 * exp (- 25) * (225 / 10000) / sqrt (2 * PI) * sqrt (2 * PI)) with (exp 7 * exp (- 25) * (225 / 10000)) by (field; lra).
  simpl in X; nra.
Qed.

Definition first (v : R) : record := fun k => match k with O => v | S _ => 0 end.

Lemma norm2_first d v : norm2 d (first v) <= v ^ 2.
Proof.
  assert (N : forall k, norm2 (S k) (first v) = v ^ 2).
  { induction k as [|k IH]; [simpl; ring|]. replace (norm2 (S (S k)) (first v)) with (0 ^ 2 + norm2 (S k) (first v)) by reflexivity.
    rewrite IH; ring. }
  destruct d as [|k]; [apply pow2_ge_0|rewrite N; lra].
Qed.

Lemma one_record (neighbours : list record -> list record -> Prop) (d : nat) (L : R) (k : nat) (other : list record) : 0 < L ->
  neighbours (first (2 * L) :: repeat (first 0) k) other -> (other = first 0 :: repeat (first 0) k \/ other = repeat (first 0) k) ->
  ~ lemma_A_7 neighbours d L (S k) 1 (exp (- 25)).
Proof.
  intros HL Nb Other H; unfold lemma_A_7 in H; set (n := S k) in *.
  assert (N : 0 < INR n) by (apply lt_0_INR, Nat.lt_0_succ).
  (* sigma = 40 L^2/n *)
  assert (S : printed_sigma L n 1 (exp (- 25)) = 40 * L ^ 2 / INR n).
  { unfold printed_sigma.
    replace (ln (1 / exp (- 25))) with 25 by (unfold Rdiv; rewrite Rmult_1_l, <- exp_Ropp, ln_exp; ring).
    replace (64 * 25 * L ^ 4 / (1 ^ 2 * INR n ^ 2)) with (Rsqr (40 * L ^ 2 / INR n)) by (unfold Rsqr; field; lra).
    apply sqrt_Rsqr, Rmult_le_pos; [nra|left; now apply Rinv_0_lt_compat]. }
  rewrite S in H; set (s := 40 * L ^ 2 / INR n) in *.
  assert (Hs : 0 < s) by (unfold s; apply Rdiv_lt_0_compat; [nra|exact N]).
  set (tied := repeat (first 0) k) in *.
  assert (Z : fold_right (fun x s => x 0%nat * x 0%nat + s) 0 tied = 0).
  { unfold tied; clear; induction k as [|k IH]; cbn [repeat fold_right]; [reflexivity|rewrite IH; simpl; ring]. }
  assert (T0 : dataset d L tied).
  { intros y Hy; apply repeat_spec in Hy; rewrite Hy; apply Rle_trans with (1 := norm2_first d _); apply pow_incr; lra. }
  assert (T : forall v, 0 <= v <= 2 * L -> dataset d L (first v :: tied)).
  { intros v Hv y [<-|Hy]; [apply Rle_trans with (1 := norm2_first d _); apply pow_incr; lra|now apply T0]. }
  assert (M : Sigma_D n (first (2 * L) :: tied) 0 0 = 0 + s / 10).
  { unfold Sigma_D; cbn [fold_right]; rewrite Z; unfold s; simpl first; field; lra. }
  assert (M' : Sigma_D n other 0 0 = 0).
  { destruct Other as [-> | ->]; unfold Sigma_D; cbn [fold_right]; rewrite Z; simpl first; ring. }
  assert (To : dataset d L other) by (destruct Other as [-> | ->]; [apply T; lra|exact T0]).
  assert (Len : Nat.max (length (first (2 * L) :: tied)) (length other) = n).
  { unfold n; destruct Other as [-> | ->]; unfold tied; cbn [length]; rewrite repeat_length; [apply Nat.max_id|apply Nat.max_l, Nat.le_succ_diag_r]. }
  specialize (H _ _ (T (2 * L) ltac:(lra)) To Nb Len (0 + 55 / 10 * s) (0 + 6 * s) ltac:(lra)); rewrite M, M' in H.
  assert (D := difference 0 s Hs); assert (G := enough); lra.
Qed.

Theorem false_as_printed_holds : false_as_printed.
Proof.
  intros d L n HL Hn; destruct n as [|k]; [inversion Hn|].
  split; eapply one_record; try exact HL.
  - exists [], (first (2 * L)), (first 0), (repeat (first 0) k); split; reflexivity.
  - now left.
  - left; exists [], (first (2 * L)), (repeat (first 0) k); split; reflexivity.
  - now right.
Qed.

Print Assumptions false_as_printed_holds.
