(* P1 (arXiv 2510.13512), Lemma C.1: "E_r[y | s, a1, a2] = h*(s, a1, a2) = 2 sigma(Delta_r*(s, a1, a2)) - 1, then based on the randomness of
   random response, E_RR[z | s, a1, a2] = (2 alpha - 1) h*(s, a1, a2)."

   lemma_C_1:  both, for labels +1 and -1; x is the difference of rewards, alpha any probability of keeping a label.
   Line by line: Assumption 3.7 (Bradley-Terry) as printed.
   What it does not say: nothing about the variance, or of labels that depend on each other. *)

Require Import Reals Lra List Bool.
Import ListNotations.
Open Scope R_scope.

Definition sigma (x : R) : R := / (1 + exp (- x)).
Definition value (y : bool) : R := if y then 1 else -1.
Definition bradley_terry (x : R) (y : bool) : R := if y then sigma x else 1 - sigma x.
Definition kept (alpha : R) (y z : bool) : R := if Bool.eqb y z then alpha else 1 - alpha.
Definition mean (p : bool -> R) : R := p true * value true + p false * value false.
Definition after (alpha x : R) (z : bool) : R := bradley_terry x true * kept alpha true z + bradley_terry x false * kept alpha false z.

Definition lemma_C_1 : Prop := forall alpha x : R,
  mean (bradley_terry x) = 2 * sigma x - 1 /\ mean (after alpha x) = (2 * alpha - 1) * (2 * sigma x - 1).

(* ---- proofs ---- *)

Theorem lemma_C_1_holds : lemma_C_1.
Proof. intros alpha x; unfold mean, after, bradley_terry, kept, value; cbn [Bool.eqb]; split; ring. Qed.

Print Assumptions lemma_C_1_holds.
