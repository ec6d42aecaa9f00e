(* P1 (arXiv 2510.13512), Remark 4.4: "When eps in (0, 1], ... we obtain O~(1/[(2 alpha - 1)^2 n]) = O~(1/[(e^eps - 1)^2 n])", with
   alpha = e^eps/(1 + e^eps).

   remark_4_4:  1/(2 alpha - 1)^2 lies between 4 and (e + 1)^2 times 1/(e^eps - 1)^2 for eps in (0, 1]: apart by (e + 1)^2/4 = 3.46 at most.
   Line by line: the range of eps is the remark's own.
   What it does not say: nothing above eps = 1 (p1_abstract_in_epsilon_false.v does). *)

Require Import Reals Lra Psatz.
Open Scope R_scope.

Definition keep (eps : R) : R := exp eps / (1 + exp eps).

Definition remark_4_4 : Prop := forall eps : R, 0 < eps <= 1 ->
  4 * / (exp eps - 1) ^ 2 <= / (2 * keep eps - 1) ^ 2 <= (exp 1 + 1) ^ 2 * / (exp eps - 1) ^ 2.

(* ---- proofs ---- *)

Theorem remark_4_4_holds : remark_4_4.
Proof.
  intros eps [H0 H1]; assert (E : 1 < exp eps) by (rewrite <- exp_0; apply exp_increasing, H0).
  assert (E1 : exp eps <= exp 1) by (destruct H1 as [H1| ->]; [left; apply exp_increasing, H1|lra]).
  replace (/ (2 * keep eps - 1) ^ 2) with ((exp eps + 1) ^ 2 * / (exp eps - 1) ^ 2) by (unfold keep; field; split; lra).
  assert (P : 0 < / (exp eps - 1) ^ 2) by (apply Rinv_0_lt_compat, pow_lt; lra).
  split; apply Rmult_le_compat_r; nra.
Qed.

Print Assumptions remark_4_4_holds.
