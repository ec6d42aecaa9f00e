(* Randomised response: P1 (arXiv 2510.13512), Definition 3.10 and (7); P2, Definition 2.2; P4 (arXiv 2505.15694), Definition 3.1 and
   Lemma H.4.  A label is kept with probability keep = e^eps/(1+e^eps), else flipped.  With c = (e^eps+1)/(e^eps-1):

   rr_is_private:     every event of the report is at most e^eps times as likely under one label as under the other ("for any
                      y, y' and any subset S in the range of R"), and no smaller eps will do.
   rr_contracts:      the total variation of two label laws is divided by exactly c.
   nothing_contracts_less: no eps-LDP channel, whatever its finite alphabet, divides it by less.
   rr_unbiased:       c (z + keep - 1) is an unbiased estimate of the label in {0, 1} (P4, Algorithm 1).
   Line by line: labels are {true, false}, P4's {0, 1} and the others' {-1, 1}; privacy is asked of all events, deltas are 0.
   What it does not say: nothing about alphabets that are not finite, nor about delta > 0. *)

Require Import Reals Lra Psatz Bool List.

Import ListNotations.
Open Scope R_scope.

(* Finite sums, and laws as functions. *)
Fixpoint sum {A : Type} (l : list A) (f : A -> R) : R :=
  match l with [] => 0 | a :: l' => f a + sum l' f end.
Definition labels := [true; false].
Definition is_law {A : Type} (l : list A) (p : A -> R) := (forall a, 0 <= p a) /\ sum l p = 1.
Definition tv {A : Type} (l : list A) (p q : A -> R) := sum l (fun a => Rabs (p a - q a)) / 2.
Definition event {A : Type} (l : list A) (p : A -> R) (S : A -> bool) :=
  sum l (fun a => if S a then p a else 0).

(* A channel sends a label to a law of reports. *)
Definition private {A : Type} (l : list A) (eps : R) (q : bool -> A -> R) :=
  forall (y y' : bool) (S : A -> bool), event l (q y) S <= exp eps * event l (q y') S.
Definition sent {A : Type} (q : bool -> A -> R) (p : bool -> R) : A -> R :=
  fun a => p true * q true a + p false * q false a.
Definition keep (eps : R) := exp eps / (1 + exp eps).
Definition c (eps : R) := (exp eps + 1) / (exp eps - 1).
Definition rr (eps : R) (y z : bool) : R := if eqb y z then keep eps else 1 - keep eps.
Definition value (z : bool) : R := if z then 1 else 0.

Definition rr_is_private : Prop := forall eps eps' : R, 0 <= eps ->
  (forall y, is_law labels (rr eps y)) /\ private labels eps (rr eps) /\
  (private labels eps' (rr eps) -> eps <= eps').

Definition rr_contracts : Prop := forall (eps : R) (p q : bool -> R), 0 < eps ->
  is_law labels p -> is_law labels q ->
  tv labels (sent (rr eps) p) (sent (rr eps) q) = / c eps * tv labels p q.

Definition nothing_contracts_less : Prop :=
  forall (A : Type) (dec : forall a b : A, {a = b} + {a <> b}) (l : list A) (eps : R) (q : bool -> A -> R),
  0 < eps -> NoDup l -> private l eps q -> is_law l (q true) -> is_law l (q false) ->
  forall p p' : bool -> R, is_law labels p -> is_law labels p' ->
  tv l (sent q p) (sent q p') <= / c eps * tv labels p p'.

Definition rr_unbiased : Prop := forall (eps : R) (y : bool), 0 < eps ->
  sum labels (fun z => rr eps y z * (c eps * (value z + keep eps - 1))) = value y.

(* ---- proofs ---- *)

Lemma keep_pos eps : 0 < keep eps < 1.
Proof.
  unfold keep; generalize (exp_pos eps); intro E.
  split; [apply Rdiv_lt_0_compat; lra|apply Rmult_lt_reg_r with (1 + exp eps); [lra|field_simplify; lra]].
Qed.

Theorem rr_is_private_holds : rr_is_private.
Proof.
  intros eps eps' He; assert (K := keep_pos eps).
  assert (E : 1 <= exp eps) by (rewrite <- exp_0; destruct He as [H|<-]; [left; apply exp_increasing, H|right; reflexivity]).
  assert (A : keep eps = exp eps * (1 - keep eps)) by (unfold keep; field; lra).
  split; [|split].
  - intros y; split; [intros []; destruct y; unfold rr; simpl; lra|destruct y; unfold rr; simpl; lra].
  - intros y y' S; unfold event, rr; simpl.
    destruct y, y'; simpl; destruct (S true), (S false); nra.
  - intros H; specialize (H true false (fun z => z)); unfold event, rr in H; simpl in H.
    destruct (Rle_or_lt eps eps') as [G|G]; [exact G|exfalso].
    apply exp_increasing in G; nra.
Qed.

Lemma c_inverse eps : 0 < eps -> / c eps = 2 * keep eps - 1.
Proof.
  intros He; assert (E : 1 < exp eps) by (rewrite <- exp_0; apply exp_increasing, He).
  unfold c, keep; field; lra.
Qed.

Theorem rr_contracts_holds : rr_contracts.
Proof.
  intros eps p q He [_ P] [_ Q]; simpl in P, Q; rewrite (c_inverse eps He).
  assert (K : 0 < 2 * keep eps - 1).
  { rewrite <- (c_inverse eps He); apply Rinv_0_lt_compat.
    assert (E : 1 < exp eps) by (rewrite <- exp_0; apply exp_increasing, He).
    unfold c; apply Rdiv_lt_0_compat; lra. }
  unfold tv, sent, rr; simpl.
  replace (p false) with (1 - p true) by lra; replace (q false) with (1 - q true) by lra.
  set (k := keep eps) in *; set (a := p true); set (b := q true).
  replace (a * k + (1 - a) * (1 - k) - (b * k + (1 - b) * (1 - k))) with ((2 * k - 1) * (a - b)) by ring.
  replace (a * (1 - k) + (1 - a) * k - (b * (1 - k) + (1 - b) * k)) with ((2 * k - 1) * (1 - a - (1 - b))) by ring.
  rewrite !Rabs_mult, (Rabs_pos_eq (2 * k - 1)) by lra; field.
Qed.

Lemma sum_le {A : Type} (l : list A) (f g : A -> R) :
  (forall a, In a l -> f a <= g a) -> sum l f <= sum l g.
Proof.
  induction l as [|x l IH]; simpl; intros H; [lra|].
  assert (f x <= g x) by (apply H; now left).
  assert (sum l f <= sum l g) by (apply IH; intros; apply H; now right); lra.
Qed.

Lemma sum_scal {A : Type} (l : list A) (k : R) (f : A -> R) : sum l (fun a => k * f a) = k * sum l f.
Proof. induction l as [|x l IH]; simpl; [ring|rewrite IH; ring]. Qed.

Lemma sum_plus {A : Type} (l : list A) (f g : A -> R) : sum l (fun a => f a + g a) = sum l f + sum l g.
Proof. induction l as [|x l IH]; simpl; [ring|rewrite IH; ring]. Qed.

(* Privacy of single reports; on a finite alphabet it is implied by `private`. *)
Lemma single {A : Type} (dec : forall a b : A, {a = b} + {a <> b}) (l : list A) (eps : R) (q : bool -> A -> R) :
  NoDup l -> private l eps q -> forall y y' a, In a l -> q y a <= exp eps * q y' a.
Proof.
  intros N P y y' a I; specialize (P y y' (fun b => if dec a b then true else false)).
  assert (H : forall r : A -> R, event l r (fun b => if dec a b then true else false) = r a).
  { intros r; unfold event; clear P; induction l as [|x l IH]; [destruct I|].
    inversion N as [|? ? Nx Nl]; subst; simpl; destruct I as [->|I].
    - destruct (dec a a) as [_|F]; [|now elim F].
      assert (Z : sum l (fun b => if (if dec a b then true else false) then r b else 0) = 0).
      { clear -Nx; induction l as [|x l IH]; simpl; [reflexivity|].
        destruct (dec a x) as [->|_]; [elim Nx; now left|rewrite IH; [ring|intro; apply Nx; now right]]. }
      rewrite Z; ring.
    - destruct (dec a x) as [->|_]; [contradiction|rewrite IH by assumption; ring]. }
  now rewrite !H in P.
Qed.

Theorem nothing_contracts_less_holds : nothing_contracts_less.
Proof.
  intros A dec l eps q He N P [T0 T1] [F0 F1] p p' [_ L] [_ L']; simpl in L, L'.
  assert (E : 1 < exp eps) by (rewrite <- exp_0; apply exp_increasing, He).
  set (d := p true - p' true).
  assert (TV : tv labels p p' = Rabs d).
  { unfold tv, d; simpl; replace (p false - p' false) with (- (p true - p' true)) by lra.
    rewrite Rabs_Ropp; field. }
  rewrite TV; unfold tv.
  assert (S : sum l (fun a => Rabs (sent q p a - sent q p' a)) <=
              sum l (fun a => / c eps * Rabs d * (q true a + q false a))).
  { apply sum_le; intros a I; unfold sent.
    replace (p true * q true a + p false * q false a - (p' true * q true a + p' false * q false a))
      with (d * (q true a - q false a)).
    2:{ unfold d; replace (p false) with (1 - p true) by lra; replace (p' false) with (1 - p' true) by lra; ring. }
    rewrite Rabs_mult, (Rmult_comm (/ c eps)), Rmult_assoc; apply Rmult_le_compat_l; [apply Rabs_pos|].
    assert (X := single dec l eps q N P true false a I); assert (Y := single dec l eps q N P false true a I).
    assert (C : / c eps = (exp eps - 1) / (exp eps + 1)) by (unfold c; field; lra); rewrite C.
    apply Rmult_le_reg_r with (exp eps + 1); [lra|].
    replace ((exp eps - 1) / (exp eps + 1) * (q true a + q false a) * (exp eps + 1))
      with ((exp eps - 1) * (q true a + q false a)) by (field; lra).
    unfold Rabs; destruct (Rcase_abs (q true a - q false a)); nra. }
  rewrite sum_scal, sum_plus, T1, F1 in S; lra.
Qed.

Theorem rr_unbiased_holds : rr_unbiased.
Proof.
  intros eps y He; assert (E : 1 < exp eps) by (rewrite <- exp_0; apply exp_increasing, He).
  destruct y; unfold rr, keep, c; simpl; field; lra.
Qed.

Print Assumptions rr_is_private_holds.
Print Assumptions rr_contracts_holds.
Print Assumptions nothing_contracts_less_holds.
Print Assumptions rr_unbiased_holds.
