(* P1 (arXiv 2510.13512), Lemma A.4 (Zhao et al.): "Suppose a, b >= 0.  If x^2 <= a + b x, then x^2 <= b^2 + 2a."

   lemma_A_4:  as printed.
   Line by line: x is any real number; nothing else is assumed.
   What it does not say: nothing more. *)

Require Import Reals Lra Psatz.
Open Scope R_scope.

Definition lemma_A_4 : Prop := forall a b x : R, 0 <= a -> 0 <= b -> x ^ 2 <= a + b * x -> x ^ 2 <= b ^ 2 + 2 * a.

(* ---- proofs ---- *)

Theorem lemma_A_4_holds : lemma_A_4.
Proof. intros a b x Ha Hb H; generalize (pow2_ge_0 (x - b)); nra. Qed.

Print Assumptions lemma_A_4_holds.
