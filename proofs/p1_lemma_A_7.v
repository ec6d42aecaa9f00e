(* P1 (arXiv 2510.13512), Lemma A.7 (Zhao et al.): "Let b(s) : S -> R be some bias function, then for all r in F we have
   J(pi_r) = J(pi_(r-b)) since pi_r = pi_(r-b), where pi_r = pi_ref exp(beta r)/sum_a pi_ref exp(beta r)."

   lemma_A_7:  the policies are the same at every state and response, and so is any J of them.
   Line by line: S is any set and the responses are a finite list; pi_ref is positive on one response at least; beta is any number.
   What it does not say: nothing about responses that are not finite in number. *)

Require Import Reals Lra List.
Import ListNotations.
Open Scope R_scope.

Fixpoint sum {A : Type} (l : list A) (f : A -> R) : R :=
  match l with [] => 0 | a :: l' => f a + sum l' f end.
Definition gibbs {S A : Type} (l : list A) (ref : S -> A -> R) (beta : R) (r : S -> A -> R) (s : S) (a : A) : R :=
  ref s a * exp (beta * r s a) / sum l (fun a' => ref s a' * exp (beta * r s a')).

Definition lemma_A_7 : Prop := forall (S A : Type) (l : list A) (ref : S -> A -> R) (beta : R) (r : S -> A -> R) (b : S -> R),
  (forall s a, 0 <= ref s a) -> (forall s, exists a, In a l /\ 0 < ref s a) ->
  (forall s a, gibbs l ref beta (fun s a => r s a - b s) s a = gibbs l ref beta r s a) /\
  forall J : (S -> A -> R) -> R, (forall p q, (forall s a, p s a = q s a) -> J p = J q) ->
  J (gibbs l ref beta (fun s a => r s a - b s)) = J (gibbs l ref beta r).

(* ---- proofs ---- *)

Lemma sum_scal {A : Type} (l : list A) (k : R) (f g : A -> R) : (forall a, g a = k * f a) -> sum l g = k * sum l f.
Proof. intros H; induction l as [|x l IH]; simpl; [ring|rewrite IH, H; ring]. Qed.
Lemma sum_pos {A : Type} (l : list A) (f : A -> R) : (forall a, 0 <= f a) -> (exists a, In a l /\ 0 < f a) -> 0 < sum l f.
Proof.
  intros P [a [I H]]; assert (N : forall k, 0 <= sum k f) by (induction k as [|x k IH]; simpl; [lra|specialize (P x); lra]).
  induction l as [|x l IH]; [destruct I|]; simpl; destruct I as [->|I]; [specialize (N l); lra|specialize (IH I); specialize (P x); lra].
Qed.

Theorem lemma_A_7_holds : lemma_A_7.
Proof.
  intros S A l ref beta r b P Q.
  assert (G : forall s a, gibbs l ref beta (fun s a => r s a - b s) s a = gibbs l ref beta r s a).
  { intros s a; unfold gibbs; set (k := exp (- (beta * b s))); assert (K : 0 < k) by apply exp_pos.
    assert (E : forall a', ref s a' * exp (beta * (r s a' - b s)) = k * (ref s a' * exp (beta * r s a'))).
    { intros a'; replace (beta * (r s a' - b s)) with (- (beta * b s) + beta * r s a') by ring; rewrite exp_plus; fold k; ring. }
    rewrite (sum_scal l k (fun a' => ref s a' * exp (beta * r s a'))) by exact E; rewrite E.
    assert (Z : 0 < sum l (fun a' => ref s a' * exp (beta * r s a'))).
    { apply sum_pos; [intros a'; apply Rmult_le_pos; [apply P|left; apply exp_pos]|].
      destruct (Q s) as [a' [I H]]; exists a'; split; [exact I|apply Rmult_lt_0_compat; [exact H|apply exp_pos]]. }
    field; split; lra. }
  split; [exact G|intros J HJ; apply HJ; exact G].
Qed.

Print Assumptions lemma_A_7_holds.
