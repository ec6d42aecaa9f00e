(* Theorem 2 of docs/explanations/sharper_floor.md (P4, Definition 5.1 and Appendix C): the two-point argument, for a feature that
   a user has with probability m, with win rates a and b = a + s under the two parameters, and an adversary who changes each
   user's label or report independently of the others.

   ctl:  before privacy, changing on average m s/2 labels per user makes the laws of labels equal.
   ltc:  behind any eps-LDP randomizer, changing on average at most m s/(2c) reports per user makes the laws of reports equal,
         c = (e^eps+1)/(e^eps-1): the adversary's joint law of the report before and after is given, its two marginals and its
         share of changes are proved.
   nobody_can_tell: whatever n users' reports are mapped to, an estimator that is within d of theta_a with probability p and
         within d of theta_b with probability p', |theta_a - theta_b| > 2 d, has p + p' <= 1 when the reports have one law.
   floor_ltc: ltc and nobody_can_tell together (m = 1), for sequentially interactive protocols.
   So alpha = m s/2 (CTL) or m s/(2c) (LTC) suffices for an error of half the distance.
   Line by line: channels are on any finite alphabet, chosen by the protocol after the messages before; the adversary may know
       both worlds; nothing is assumed of the estimator.
   What it does not say: the budget is met on average, not in every draw: the cap at alpha n changes (Chernoff's bound) is on the
       page; nor the converse, that an estimator attains the floor; nor anything about P4's own conjecture on suboptimality. *)

Require Import Reals Lra Psatz List Bool.

Import ListNotations.
Open Scope R_scope.

Fixpoint sum {A : Type} (l : list A) (f : A -> R) : R :=
  match l with [] => 0 | a :: l' => f a + sum l' f end.
Definition is_law {A : Type} (l : list A) (p : A -> R) := (forall a, In a l -> 0 <= p a) /\ sum l p = 1.

(* A label is 1 with probability w; a channel q sends it to a law on the finite alphabet l. *)
Definition coin (w : R) (y : bool) : R := if y then w else 1 - w.
Definition sent {A : Type} (q : bool -> A -> R) (w : R) (z : A) : R := w * q true z + (1 - w) * q false z.
Definition ldp {A : Type} (l : list A) (eps : R) (q : bool -> A -> R) :=
  (forall y, is_law l (q y)) /\ forall y y' z, In z l -> q y z <= exp eps * q y' z.
Definition c (eps : R) := (exp eps + 1) / (exp eps - 1).

(* An adversary, as the joint law of what a user sends (first) and what becomes of it (second). *)
Record attack {A : Type} (l : list A) (eqb : A -> A -> bool) (before after : A -> R) := {
  joint : A -> A -> R;
  positive : forall z z', In z l -> In z' l -> 0 <= joint z z';
  sends : forall z, In z l -> sum l (fun z' => joint z z') = before z;
  arrives : forall z', In z' l -> sum l (fun z => joint z z') = after z';
}.
Arguments joint {A l eqb before after}.
Definition changed {A l eqb before after} (k : @attack A l eqb before after) : R :=
  sum l (fun z => sum l (fun z' => if eqb z z' then 0 else joint k z z')).

(* ---- the two orders ---- *)

Definition labels := [true; false].

(* ---- n users ---- *)

(* Probability of an event of the reports of n users, latest first; each report's law may depend on those before it
   (a sequentially interactive protocol: user i's randomizer is chosen from the messages of users 1, ..., i-1). *)
Fixpoint prob {A : Type} (l : list A) (p : list A -> A -> R) (n : nat) (seen : list A) (S : list A -> bool) : R :=
  match n with
  | O => if S seen then 1 else 0
  | S n' => sum l (fun z => p seen z * prob l p n' (z :: seen) S)
  end.

Definition within (d theta x : R) : bool := if Rle_dec (Rabs (x - theta)) d then true else false.

Definition ctl : Prop := forall m a s : R, 0 <= m -> 0 <= a -> 0 <= s -> a + s <= 1 ->
  exists (under_a : attack labels Bool.eqb (coin a) (coin (a + s / 2)))
         (under_b : attack labels Bool.eqb (coin (a + s)) (coin (a + s / 2))),
  m * changed under_a = m * s / 2 /\ m * changed under_b = m * s / 2.

Definition ltc : Prop := forall (A : Type) (l : list A) (eqb : A -> A -> bool) (eps : R) (q : bool -> A -> R) (m a s : R),
  (forall z z', eqb z z' = true <-> z = z') -> NoDup l -> 0 < eps -> ldp l eps q ->
  0 <= m -> 0 <= a -> 0 <= s -> a + s <= 1 ->
  exists (under_a : attack l eqb (sent q a) (sent q (a + s / 2)))
         (under_b : attack l eqb (sent q (a + s)) (sent q (a + s / 2))),
  m * changed under_a <= m * s / (2 * c eps) /\ m * changed under_b <= m * s / (2 * c eps).

Definition nobody_can_tell : Prop := forall (A : Type) (l : list A) (p : list A -> A -> R) (n : nat) (estimate : list A -> R) (theta_a theta_b d : R),
  (forall seen, is_law l (p seen)) -> 2 * d < Rabs (theta_a - theta_b) ->
  prob l p n [] (fun zs => within d theta_a (estimate zs)) + prob l p n [] (fun zs => within d theta_b (estimate zs)) <= 1.

(* Put together: n users, randomizers chosen from the messages so far, label win rates a and a + s, an adversary who
   changes a report with probability at most s/(2c) whatever came before: both worlds' messages have one law. *)

Definition floor_ltc : Prop := forall (A : Type) (l : list A) (eqb : A -> A -> bool) (eps a s : R) (q : list A -> bool -> A -> R)
    (n : nat) (estimate : list A -> R) (theta_a theta_b d : R),
  (forall z z', eqb z z' = true <-> z = z') -> NoDup l -> 0 < eps -> (forall seen, ldp l eps (q seen)) ->
  0 <= a -> 0 <= s -> a + s <= 1 -> 2 * d < Rabs (theta_a - theta_b) ->
  exists received : list A -> A -> R,
  (forall seen, exists (under_a : attack l eqb (sent (q seen) a) (received seen))
                       (under_b : attack l eqb (sent (q seen) (a + s)) (received seen)),
     changed under_a <= s / (2 * c eps) /\ changed under_b <= s / (2 * c eps)) /\
  prob l received n [] (fun zs => within d theta_a (estimate zs)) +
  prob l received n [] (fun zs => within d theta_b (estimate zs)) <= 1.

(* ---- proofs ---- *)

(* ---- finite sums ---- *)
Section Sums.

Context {A : Type} (l : list A).

Lemma sum_ext (f g : A -> R) : (forall a, In a l -> f a = g a) -> sum l f = sum l g.
Proof. induction l as [|x k IH]; simpl; intros H; [reflexivity|rewrite H by (now left); rewrite IH; [reflexivity|auto]]. Qed.

Lemma sum_le (f g : A -> R) : (forall a, In a l -> f a <= g a) -> sum l f <= sum l g.
Proof.
  induction l as [|x k IH]; simpl; intros H; [lra|].
  assert (f x <= g x) by (apply H; now left); assert (sum k f <= sum k g) by (apply IH; auto); lra.
Qed.

Lemma sum_scal (k : R) (f : A -> R) : sum l (fun a => k * f a) = k * sum l f.
Proof. induction l as [|x m IH]; simpl; [ring|rewrite IH; ring]. Qed.

Lemma sum_plus (f g : A -> R) : sum l (fun a => f a + g a) = sum l f + sum l g.
Proof. induction l as [|x m IH]; simpl; [ring|rewrite IH; ring]. Qed.

Lemma sum_nonneg (f : A -> R) : (forall a, In a l -> 0 <= f a) -> 0 <= sum l f.
Proof.
  induction l as [|x k IH]; simpl; intros H; [lra|].
  assert (0 <= f x) by (apply H; now left); assert (0 <= sum k f) by (apply IH; auto); lra.
Qed.

End Sums.

Lemma sum_zero {A} (l : list A) (f : A -> R) : (forall a, In a l -> 0 <= f a) -> sum l f = 0 -> forall a, In a l -> f a = 0.
Proof.
  induction l as [|x l IH]; simpl; intros P S a I; [destruct I|].
  assert (0 <= f x) by (apply P; now left); assert (0 <= sum l f) by (apply sum_nonneg; auto).
  destruct I as [<-|I]; [lra|apply IH; auto; lra].
Qed.

Section Coupling.

Context {A : Type} (l : list A) (eqb : A -> A -> bool).

Hypothesis eqb_spec : forall a b, eqb a b = true <-> a = b.

Hypothesis distinct : NoDup l.

Lemma pick_in (f : A -> R) (z : A) : forall k, NoDup k -> In z k -> sum k (fun z' => if eqb z z' then f z' else 0) = f z.
Proof.
  induction 1 as [|x k Nx Nk IH]; simpl; intros I; [destruct I|].
  destruct (eqb z x) eqn:E.
  - apply eqb_spec in E; subst x.
    assert (Z : sum k (fun z' => if eqb z z' then f z' else 0) = 0); [|rewrite Z; ring].
    transitivity (sum k (fun a => 0 * f a)); [|rewrite sum_scal; ring].
    apply sum_ext; intros a Ia; destruct (eqb z a) eqn:F; [apply eqb_spec in F; subst; contradiction|ring].
  - destruct I as [->|I]; [assert (eqb z z = true) by (now apply eqb_spec); congruence|rewrite (IH I); ring].
Qed.

Definition pick f z := pick_in f z l distinct.

Lemma eqb_sym a b : eqb a b = eqb b a.
Proof.
  destruct (eqb a b) eqn:E; [apply eqb_spec in E; subst; symmetry; now apply eqb_spec|].
  destruct (eqb b a) eqn:F; [apply eqb_spec in F; subst; assert (eqb a a = true) by (now apply eqb_spec); congruence|reflexivity].
Qed.

(* The maximal coupling: what p has and q has not is moved to where q has more. *)
Definition above (p q : A -> R) (z : A) := Rmax (p z - q z) 0.

Lemma maximal (p q : A -> R) : is_law l p -> is_law l q ->
  exists k : attack l eqb p q, changed k <= sum l (above p q).
Proof.
  intros [P P1] [Q Q1].
  assert (Ap : forall p q z, 0 <= above p q z) by (intros; apply Rmax_r).
  assert (Id : forall p q z, Rmin (p z) (q z) + above p q z = p z)
    by (intros; unfold above, Rmin, Rmax; destruct (Rle_dec (p0 z) (q0 z)), (Rle_dec (p0 z - q0 z) 0); lra).
  assert (Id' : forall z, Rmin (p z) (q z) + above q p z = q z) by (intros; rewrite Rmin_comm; apply Id).
  set (D := sum l (above p q)).
  assert (D' : sum l (above q p) = D).
  { assert (X : sum l (fun z => Rmin (p z) (q z) + above p q z) = sum l p) by (apply sum_ext; intros; apply Id).
    assert (Y : sum l (fun z => Rmin (p z) (q z) + above q p z) = sum l q) by (apply sum_ext; intros; apply Id').
    rewrite sum_plus in X, Y; unfold D; lra. }
  assert (D0 : 0 <= D) by (apply sum_nonneg; intros; apply Ap).
  set (g := fun z z' => (if eqb z z' then Rmin (p z) (q z) else 0) + / D * (above p q z * above q p z')).
  assert (Dz : forall r s z, sum l (above r s) = D -> In z l -> / D * (above r s z * D) = above r s z).
  { intros r s z E I; destruct (Req_dec D 0) as [Z|Z]; [|field; exact Z].
    rewrite (sum_zero l (above r s) (fun a _ => Ap r s a) (eq_trans E Z) z I); ring. }
  assert (G0 : forall z z', In z l -> In z' l -> 0 <= g z z').
  { intros z z' I I'; unfold g; apply Rplus_le_le_0_compat.
    - destruct (eqb z z'); [apply Rmin_glb; [now apply P|now apply Q]|lra].
    - destruct (Req_dec D 0) as [Z|Z].
      + rewrite (sum_zero l (above p q) (fun a _ => Ap p q a) Z z I); lra.
      + apply Rmult_le_pos; [left; apply Rinv_0_lt_compat; lra|apply Rmult_le_pos; apply Ap]. }
  assert (G1 : forall z, In z l -> sum l (fun z' => g z z') = p z).
  { intros z I; unfold g; rewrite sum_plus, sum_scal, sum_scal, D', (pick (fun _ => Rmin (p z) (q z)) z I).
    rewrite (Dz p q z eq_refl I); apply Id. }
  assert (G2 : forall z', In z' l -> sum l (fun z => g z z') = q z').
  { intros z' I; unfold g; rewrite sum_plus, sum_scal.
    rewrite (sum_ext l (fun z => above p q z * above q p z') (fun z => above q p z' * above p q z)) by (intros; ring).
    rewrite sum_scal; fold D; rewrite (Dz q p z' D' I).
    rewrite (sum_ext l (fun z => if eqb z z' then Rmin (p z) (q z) else 0)
                       (fun z => if eqb z' z then Rmin (p z) (q z) else 0)) by (intros; now rewrite (eqb_sym a)).
    rewrite (pick (fun z => Rmin (p z) (q z)) z' I); apply Id'. }
  exists {| joint := g; positive := G0; sends := G1; arrives := G2 |}; unfold changed; simpl.
  apply Rle_trans with (sum l (fun z => sum l (fun z' => / D * (above p q z * above q p z')))).
  - apply sum_le; intros z I; apply sum_le; intros z' I'; unfold g.
    assert (N : 0 <= / D * (above p q z * above q p z')).
    { destruct (Req_dec D 0) as [Z|Z].
      - rewrite (sum_zero l (above p q) (fun a _ => Ap p q a) Z z I); lra.
      - apply Rmult_le_pos; [left; apply Rinv_0_lt_compat; lra|apply Rmult_le_pos; apply Ap]. }
    destruct (eqb z z'); lra.
  - right; apply sum_ext; intros z I; rewrite !sum_scal, D'; now apply Dz.
Qed.

End Coupling.

Theorem ctl_holds : ctl.
Proof.
  intros m a s Hm Ha Hs Hb.
  unshelve eexists; [exists (fun z z' => match z, z' with
      true, true => a | true, false => 0 | false, true => s / 2 | false, false => 1 - a - s / 2 end)|].
  1,2,3: intros; repeat match goal with b : bool |- _ => destruct b end; simpl; lra.
  unshelve eexists; [exists (fun z z' => match z, z' with
      true, true => a + s / 2 | true, false => s / 2 | false, true => 0 | false, false => 1 - a - s end)|].
  1,2,3: intros; repeat match goal with b : bool |- _ => destruct b end; simpl; lra.
  unfold changed; simpl; split; field.
Qed.

Theorem ltc_holds : ltc.
Proof.
  intros A l eqb eps q m a s Heq N He [L H] Hm Ha Hs Hb.
  assert (E : 1 < exp eps) by (rewrite <- exp_0; apply exp_increasing, He).
  assert (Lw : forall w, 0 <= w <= 1 -> is_law l (sent q w)).
  { intros w W; split.
    - intros z I; unfold sent; assert (X := proj1 (L true) z I); assert (Y := proj1 (L false) z I); nra.
    - unfold sent; rewrite sum_plus, !sum_scal, (proj2 (L true)), (proj2 (L false)); ring. }
  (* sum of the positive part of w (q true - q false) is at most |w|/c *)
  assert (TV : forall w w', w - w' = s / 2 \/ w - w' = - (s / 2) -> 0 <= w <= 1 -> 0 <= w' <= 1 ->
    sum l (above (sent q w) (sent q w')) <= s / (2 * c eps)).
  { intros w w' Hw W W'.
    assert (Y : forall z, In z l -> 2 * above (sent q w) (sent q w') z <=
      (sent q w z - sent q w' z) + s / 2 * / c eps * (q true z + q false z)).
    { intros z I; unfold above, sent.
      assert (X1 := H true false z I); assert (X2 := H false true z I).
      assert (Q1 := proj1 (L true) z I); assert (Q2 := proj1 (L false) z I).
      assert (C : / c eps * (q true z + q false z) >= Rabs (q true z - q false z)).
      { unfold c; apply Rle_ge, Rmult_le_reg_r with (exp eps + 1); [lra|].
        replace (/ ((exp eps + 1) / (exp eps - 1)) * (q true z + q false z) * (exp eps + 1))
          with ((exp eps - 1) * (q true z + q false z)) by (field; lra).
        unfold Rabs; destruct (Rcase_abs (q true z - q false z)); nra. }
      rewrite (Rmult_assoc (s / 2)).
      set (r := / c eps * (q true z + q false z)) in *.
      replace (w * q true z + (1 - w) * q false z - (w' * q true z + (1 - w') * q false z))
        with ((w - w') * (q true z - q false z)) by ring.
      assert (Z : Rabs ((w - w') * (q true z - q false z)) <= s / 2 * r).
      { rewrite Rabs_mult; replace (Rabs (w - w')) with (s / 2)
          by (destruct Hw as [->| ->]; [rewrite Rabs_pos_eq; lra|rewrite Rabs_Ropp, Rabs_pos_eq; lra]).
        apply Rmult_le_compat_l; lra. }
      revert Z; unfold Rmax, Rabs; destruct (Rle_dec _ 0), (Rcase_abs _); lra. }
    apply sum_le in Y; rewrite sum_scal, sum_plus, sum_scal, sum_plus in Y.
    rewrite (proj2 (L true)), (proj2 (L false)) in Y.
    assert (Z : sum l (fun z => sent q w z - sent q w' z) = 0).
    { rewrite (sum_ext l _ (fun z => sent q w z + (-1) * sent q w' z)) by (intros; ring).
      rewrite sum_plus, sum_scal, (proj2 (Lw w W)), (proj2 (Lw w' W')); ring. }
    rewrite Z in Y; replace (s / (2 * c eps)) with (s / 2 * / c eps); [lra|].
    unfold c; field; lra. }
  destruct (maximal l eqb Heq N (sent q a) (sent q (a + s / 2)) (Lw a ltac:(lra)) (Lw (a + s / 2) ltac:(lra))) as [ka Ka].
  destruct (maximal l eqb Heq N (sent q (a + s)) (sent q (a + s / 2)) (Lw (a + s) ltac:(lra)) (Lw (a + s / 2) ltac:(lra))) as [kb Kb].
  exists ka, kb.
  assert (Ta := TV a (a + s / 2) ltac:(lra) ltac:(lra) ltac:(lra)).
  assert (Tb := TV (a + s) (a + s / 2) ltac:(lra) ltac:(lra) ltac:(lra)).
  replace (m * s / (2 * c eps)) with (m * (s / (2 * c eps))) by (unfold Rdiv; ring).
  split; apply Rmult_le_compat_l; lra.
Qed.

Theorem nobody_can_tell_holds : nobody_can_tell.
Proof.
  intros A l p n est ta tb d P Hd.
  assert (G : forall n seen (S S' : list A -> bool), (forall zs, S zs && S' zs = false) -> prob l p n seen S + prob l p n seen S' <= 1).
  { clear n; induction n as [|n IH]; intros seen S S' H; simpl.
    - specialize (H seen); destruct (S seen), (S' seen); simpl in H; try discriminate; lra.
    - destruct (P seen) as [P0 P1]; rewrite <- sum_plus, <- P1; apply sum_le; intros z I.
      assert (X := IH (z :: seen) S S' H); assert (Y := P0 z I); nra. }
  apply G; intros zs; unfold within.
  destruct (Rle_dec (Rabs (est zs - ta)) d) as [X|], (Rle_dec (Rabs (est zs - tb)) d) as [Y|]; try reflexivity.
  exfalso; apply (Rlt_not_le _ _ Hd); replace (ta - tb) with ((est zs - tb) - (est zs - ta)) by ring.
  apply Rle_trans with (1 := Rabs_triang _ _); rewrite Rabs_Ropp; lra.
Qed.

Theorem floor_ltc_holds : floor_ltc.
Proof.
  intros A l eqb eps a s q n est ta tb d Heq N He Q Ha Hs Hb Hd; exists (fun seen => sent (q seen) (a + s / 2)); split.
  - intros seen; destruct (ltc_holds A l eqb eps (q seen) 1 a s Heq N He (Q seen) Rle_0_1 Ha Hs Hb) as [ka [kb [X Y]]].
    exists ka, kb; rewrite !Rmult_1_l in *; split; assumption.
  - apply nobody_can_tell_holds; [|exact Hd]; intros seen; destruct (Q seen) as [L _]; split.
    + intros z I; unfold sent; assert (X := proj1 (L true) z I); assert (Y := proj1 (L false) z I); nra.
    + unfold sent; rewrite sum_plus, !sum_scal, (proj2 (L true)), (proj2 (L false)); ring.
Qed.

Print Assumptions ctl_holds.
Print Assumptions ltc_holds.
Print Assumptions nobody_can_tell_holds.
Print Assumptions floor_ltc_holds.
