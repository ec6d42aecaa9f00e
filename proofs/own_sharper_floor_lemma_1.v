(* Lemmas 1 and 2 of docs/explanations/sharper_floor.md (P4, Definition 5.1).

   p(t) = sigma(-B+t) - sigma(-B) is how far two win rates at the flat end of the curve are apart when their margins are t
   apart; gamma = sigma'(B) = 1/(2 + e^B + e^-B).

   lemma_1a: |sigma(u) - sigma(v)| >= p(|u-v|) for u, v in [-B, B].
   lemma_1b: p increases, gamma t <= p(t) <= gamma (e^t - 1) on [0, 2B], p(2B) = tanh(B/2).
   lemma_2:  for finitely many cells of weights w >= 0 and margins u, v in [-B, B], and any g with t^2 <= g p(t) on [0, 2B]:
             sum w (u-v)^2 <= g sum w |sigma(u) - sigma(v)|.
   lemma_2_coverage: if moreover xi (u-v)^2 <= q^2 := sum w (u-v)^2 in every cell (that is what |x| <= 1 and lambda_min >= xi
             give), there are m >= xi and t in (0, 2B] with m p(t) = W := sum w |sigma(u) - sigma(v)| and q^2 <= m t^2, so
             q <= omega(W, xi).
   Line by line: a cell is a feature difference x with its weight, u = <theta, x> and v = <theta', x>; weights need not sum to 1.
   What it does not say: the two margins of a cell are bounded by B, which asks ||x|| <= 1 of differences (P4's Remark 5.2 takes
       it "for simplicity"; with ||x|| <= 2 it is 2B); infinitely many cells are not treated. *)

Require Import Reals Lra Psatz List.
From Coquelicot Require Import Coquelicot.
Import ListNotations.
Open Scope R_scope.

Definition sigma (x : R) := / (1 + exp (- x)).
Definition gamma (B : R) := / (2 + exp B + exp (- B)).
Definition p (B t : R) := sigma (- B + t) - sigma (- B).
Record cell := { weight : R; u : R; v : R }.
Fixpoint sum (l : list cell) (f : cell -> R) : R :=
  match l with [] => 0 | a :: l' => f a + sum l' f end.
Definition admissible (B : R) (l : list cell) :=
  forall a, In a l -> 0 <= weight a /\ - B <= u a <= B /\ - B <= v a <= B.
Definition q2 (l : list cell) := sum l (fun a => weight a * (u a - v a) ^ 2).
Definition W (l : list cell) := sum l (fun a => weight a * Rabs (sigma (u a) - sigma (v a))).

Definition lemma_1a : Prop := forall B u v : R, - B <= u <= B -> - B <= v <= B ->
  p B (Rabs (u - v)) <= Rabs (sigma u - sigma v).

Definition lemma_1b : Prop := forall B t t' : R, 0 <= t -> t <= t' -> t' <= 2 * B ->
  p B t <= p B t' /\ gamma B * t <= p B t <= gamma B * (exp t - 1) /\
  p B (2 * B) = (exp B - 1) / (exp B + 1).

Definition lemma_2 : Prop := forall B g l, 0 <= g -> admissible B l ->
  (forall t, 0 <= t <= 2 * B -> t ^ 2 <= g * p B t) -> q2 l <= g * W l.

Definition lemma_2_coverage : Prop := forall B xi l, 0 < xi -> admissible B l -> 0 < q2 l ->
  (forall a, In a l -> xi * (u a - v a) ^ 2 <= q2 l) ->
  exists m t, xi <= m /\ 0 < t <= 2 * B /\ m * p B t = W l /\ q2 l <= m * t ^ 2.

(* ---- proofs ---- *)

(* sigma(v+t) - sigma(v) = (k-1)/(1 + k + k E + 1/E) with E = e^v, k = e^t. *)
Lemma difference v t : sigma (v + t) - sigma v =
  (exp t - 1) / (1 + exp t + exp t * exp v + / exp v).
Proof.
  unfold sigma; replace (- (v + t)) with (- v + - t) by ring; rewrite exp_plus, !exp_Ropp.
  generalize (exp_pos v) (exp_pos t); generalize (exp v) (exp t); intros E k HE Hk.
  field; repeat split; nra.
Qed.

Lemma exp_ge_1 t : 0 <= t -> 1 <= exp t.
Proof. intros [H|<-]; rewrite <- exp_0; [left; apply exp_increasing, H|right; reflexivity]. Qed.

Lemma exp_le x y : x <= y -> exp x <= exp y.
Proof. intros [H|<-]; [left; apply exp_increasing, H|right; reflexivity]. Qed.

(* The difference over a step t is least at an end. *)
Lemma least_at_the_end B v t : 0 <= t -> - B <= v -> v + t <= B -> p B t <= sigma (v + t) - sigma v.
Proof.
  intros Ht Hv Hb; unfold p; rewrite !difference.
  assert (K := exp_ge_1 t Ht); assert (C := exp_le _ _ Hv).
  assert (M : exp t * exp v * exp (- B) <= 1).
  { rewrite <- !exp_plus, <- exp_0; apply exp_le; lra. }
  generalize (exp_pos v) (exp_pos (- B)); revert K C M.
  generalize (exp t) (exp v) (exp (- B)); intros k E c K C M HE Hc.
  assert (D : (E - c) * (k - / (E * c)) <= 0).
  { assert (k <= / (E * c)) by (apply Rmult_le_reg_r with (E * c); [nra|rewrite Rinv_l by nra; nra]).
    nra. }
  assert (I : 1 + k + k * E + / E <= 1 + k + k * c + / c).
  { replace (1 + k + k * E + / E) with (1 + k + k * c + / c + (E - c) * (k - / (E * c))) by (field; nra); lra. }
  assert (0 < / E) by now apply Rinv_0_lt_compat.
  apply Rmult_le_compat_l; [lra|apply Rinv_le_contravar; nra].
Qed.

Theorem lemma_1a_holds : lemma_1a.
Proof.
  assert (G : forall B u v, - B <= v -> v <= u -> u <= B -> p B (Rabs (u - v)) <= Rabs (sigma u - sigma v)).
  { intros B u v Hv H Hu; rewrite (Rabs_pos_eq (u - v)) by lra.
    apply Rle_trans with (sigma u - sigma v); [|apply Rle_abs].
    replace u with (v + (u - v)) at 2 by ring; apply least_at_the_end; lra. }
  intros B u v Hu Hv; destruct (Rle_or_lt v u); [apply G; lra|].
  rewrite (Rabs_minus_sym u), (Rabs_minus_sym (sigma u)); apply G; lra.
Qed.

Lemma sigma_increasing x y : x <= y -> sigma x <= sigma y.
Proof.
  intros H; unfold sigma; apply Rinv_le_contravar; [generalize (exp_pos (- y)); lra|].
  apply Rplus_le_compat_l, exp_le; lra.
Qed.

(* x <= sinh x for x >= 0, by comparing derivatives. *)
Lemma sinh_ge t : 0 <= t -> t <= (exp t - exp (- t)) / 2.
Proof.
  intros [H|<-]; [|rewrite Ropp_0, exp_0; lra].
  assert (D : forall c, derivable_pt_lim (fun x => exp x - exp (- x) - 2 * x) c (exp c + exp (- c) - 2)).
  { intro c; apply is_derive_Reals; auto_derive; [trivial|ring]. }
  destruct (MVT_cor2 (fun x => exp x - exp (- x) - 2 * x) _ 0 t H (fun c _ => D c)) as [c [E _]].
  simpl in E; rewrite Ropp_0, exp_0 in E.
  assert (P : 0 <= exp c + exp (- c) - 2).
  { rewrite exp_Ropp; generalize (exp_pos c); generalize (exp c); intros e He.
    replace (e + / e - 2) with ((e - 1) ^ 2 * / e) by (field; lra).
    apply Rmult_le_pos; [apply pow2_ge_0|left; now apply Rinv_0_lt_compat]. }
  nra.
Qed.

Theorem lemma_1b_holds : lemma_1b.
Proof.
  intros B t t' Ht Htt HB; split; [|split].
  - unfold p; apply Rplus_le_compat_r, sigma_increasing; lra.
  - unfold p; rewrite difference; unfold gamma; rewrite exp_Ropp, Rinv_inv.
    assert (S := sinh_ge (t / 2) ltac:(lra)); rewrite exp_Ropp in S.
    assert (K : exp t = exp (t / 2) ^ 2) by (simpl; rewrite Rmult_1_r, <- exp_plus; f_equal; field).
    assert (M : exp (t / 2) <= exp B) by (apply exp_le; lra).
    assert (L := exp_ge_1 (t / 2) ltac:(lra)).
    rewrite K; revert S M L; generalize (exp (t / 2)) (exp B); intros r b S M L.
    assert (B1 : 1 <= b) by lra.
    assert (Db : 0 < 2 + b + / b) by (assert (0 < / b) by (apply Rinv_0_lt_compat; lra); lra).
    assert (Dp : 0 < 1 + r ^ 2 + r ^ 2 * / b + b).
    { assert (0 < / b) by (apply Rinv_0_lt_compat; lra); assert (0 < r ^ 2 * / b) by (apply Rmult_lt_0_compat; nra); nra. }
    split.
    + (* t (1 + k + k/b + b) <= (k - 1)(2 + b + 1/b), as t r <= r^2 - 1 and r <= b. *)
      assert (T : t * r <= r ^ 2 - 1).
      { replace (r ^ 2 - 1) with (2 * ((r - / r) / 2) * r) by (field; lra); nra. }
      apply Rmult_le_reg_r with ((2 + b + / b) * (1 + r ^ 2 + r ^ 2 * / b + b) * (b * r)); [repeat apply Rmult_lt_0_compat; try lra; simpl; nra|].
      replace (/ (2 + b + / b) * t * ((2 + b + / b) * (1 + r ^ 2 + r ^ 2 * / b + b) * (b * r)))
        with (t * r * ((1 + r ^ 2) * b + r ^ 2 + b ^ 2)) by (field; split; nra).
      replace ((r ^ 2 - 1) / (1 + r ^ 2 + r ^ 2 * / b + b) * ((2 + b + / b) * (1 + r ^ 2 + r ^ 2 * / b + b) * (b * r)))
        with ((r ^ 2 - 1) * (r * (1 + b) ^ 2)) by (field; split; nra).
      apply Rle_trans with ((r ^ 2 - 1) * ((1 + r ^ 2) * b + r ^ 2 + b ^ 2)); [apply Rmult_le_compat_r; nra|].
      assert (Q : 0 <= (r - 1) * (b - r)) by (apply Rmult_le_pos; lra).
      assert (X : 0 <= (r ^ 2 - 1) * ((b + 1) * ((r - 1) * (b - r)))) by (apply Rmult_le_pos; nra).
      nra.
    + assert (G : / (1 + r ^ 2 + r ^ 2 * / b + b) <= / (2 + b + / b)).
      { apply Rinv_le_contravar; [exact Db|].
        assert (0 <= (r ^ 2 - 1) * / b) by (apply Rmult_le_pos; [nra|left; apply Rinv_0_lt_compat; lra]); nra. }
      unfold Rdiv; rewrite (Rmult_comm (/ (2 + b + / b))); apply Rmult_le_compat_l; [nra|exact G].
  - unfold p, sigma; replace (- (- B + 2 * B)) with (- B) by ring; rewrite Ropp_involutive, exp_Ropp.
    generalize (exp_pos B); generalize (exp B); intros b Hb; field; lra.
Qed.

Lemma p_pos B t : 0 < t -> t <= 2 * B -> 0 < p B t.
Proof.
  intros H HB; destruct (lemma_1b_holds B t t) as [_ [[L _] _]]; [lra..|].
  apply Rlt_le_trans with (2 := L), Rmult_lt_0_compat; [|exact H].
  unfold gamma; apply Rinv_0_lt_compat; generalize (exp_pos B) (exp_pos (- B)); lra.
Qed.

Lemma by_cells B g l : 0 <= g -> admissible B l ->
  (forall a, In a l -> (u a - v a) ^ 2 <= g * p B (Rabs (u a - v a))) -> q2 l <= g * W l.
Proof.
  intros G; unfold q2, W; induction l as [|a l IH]; simpl; intros A H; [lra|].
  destruct (A a (or_introl eq_refl)) as [w [Hu Hv]].
  assert (X := H a (or_introl eq_refl)); assert (Y := lemma_1a_holds B (u a) (v a) Hu Hv).
  assert (I := IH (fun b Hb => A b (or_intror Hb)) (fun b Hb => H b (or_intror Hb))).
  assert (Z : (u a - v a) ^ 2 <= g * Rabs (sigma (u a) - sigma (v a))) by nra.
  assert (weight a * (u a - v a) ^ 2 <= weight a * (g * Rabs (sigma (u a) - sigma (v a)))) by now apply Rmult_le_compat_l.
  simpl in *; lra.
Qed.

Lemma apart B a b : - B <= a <= B -> - B <= b <= B -> 0 <= Rabs (a - b) <= 2 * B.
Proof. intros; split; [apply Rabs_pos|apply Rabs_le; lra]. Qed.

Theorem lemma_2_holds : lemma_2.
Proof.
  intros B g l G A H; apply (by_cells B); [exact G|exact A|].
  intros a I; destruct (A a I) as [_ [Hu Hv]]; rewrite <- (pow2_abs (u a - v a)); apply H, apart; assumption.
Qed.

Lemma largest (F : cell -> R) l : l <> [] -> exists a, In a l /\ forall b, In b l -> F b <= F a.
Proof.
  induction l as [|x l IH]; [now intros []|intros _].
  destruct l as [|y l]; [exists x; split; [now left|intros b [<-|[]]; lra]|].
  destruct IH as [a [Ia Ha]]; [discriminate|].
  destruct (Rle_or_lt (F x) (F a)) as [L|L].
  - exists a; split; [now right|intros b [<-|Hb]; [exact L|now apply Ha]].
  - exists x; split; [now left|intros b [<-|Hb]; [lra|specialize (Ha b Hb); lra]].
Qed.

Theorem lemma_2_coverage_holds : lemma_2_coverage.
Proof.
  intros B xi l Hxi A Q C.
  set (F := fun a => (u a - v a) ^ 2 / p B (Rabs (u a - v a))).
  assert (FP : forall b, In b l -> (u b - v b) ^ 2 = F b * p B (Rabs (u b - v b)) /\ 0 <= F b).
  { intros b I; destruct (A b I) as [_ [Hu Hv]]; unfold F.
    destruct (Req_dec (u b - v b) 0) as [E|E]; [rewrite E; unfold Rdiv; split; [ring|nra]|].
    assert (P := p_pos B (Rabs (u b - v b)) (Rabs_pos_lt _ E) (proj2 (apart _ _ _ Hu Hv))).
    split; [field; lra|apply Rmult_le_pos; [apply pow2_ge_0|left; now apply Rinv_0_lt_compat]]. }
  destruct (largest F l) as [a [Ia Ha]]; [intros ->; unfold q2 in Q; simpl in Q; lra|].
  destruct (FP a Ia) as [Ea Ga].
  assert (S : q2 l <= F a * W l).
  { apply (by_cells B); [exact Ga|exact A|intros b Ib].
    destruct (FP b Ib) as [Eb _]; rewrite Eb; apply Rmult_le_compat_r; [|now apply Ha].
    destruct (A b Ib) as [_ [Hu Hv]]; destruct (apart _ _ _ Hu Hv) as [T0 T1].
    destruct (Req_dec (u b - v b) 0) as [E|E]; [|left; apply p_pos; [now apply Rabs_pos_lt|exact T1]].
    rewrite E, Rabs_R0; unfold p; rewrite Rplus_0_r; lra. }
  destruct (A a Ia) as [_ [Hu Hv]]; destruct (apart _ _ _ Hu Hv) as [T0 T1].
  assert (NZ : u a - v a <> 0).
  { intro E; unfold F in S; rewrite E in S; unfold Rdiv in S; simpl in S; rewrite !Rmult_0_l in S; lra. }
  set (t := Rabs (u a - v a)) in *.
  assert (Tp : 0 < t) by now apply Rabs_pos_lt.
  assert (P := p_pos B t Tp T1).
  assert (T2 : t ^ 2 = (u a - v a) ^ 2) by (unfold t; now rewrite pow2_abs).
  assert (R : q2 l <= W l / p B t * t ^ 2).
  { replace (W l / p B t * t ^ 2) with (F a * W l); [exact S|unfold F; fold t; rewrite T2; field; lra]. }
  exists (W l / p B t), t; repeat split; try assumption; [|field; lra].
  assert (X := C a Ia); rewrite <- T2 in X.
  apply Rmult_le_reg_r with (t ^ 2); [now apply pow_lt|lra].
Qed.

Print Assumptions lemma_1a_holds.
Print Assumptions lemma_1b_holds.
Print Assumptions lemma_2_holds.
Print Assumptions lemma_2_coverage_holds.
