(* docs/explanations/corrected_theorem_4_2.md, on P1 (arXiv 2510.13512), Theorem 4.2.  Randomised response keeps a binary label
   with probability a and flips it otherwise.  If the label is +1 with probability s, the report is +1 with probability
   p = a s + (1-a)(1-s).

   report_variance:  p(1-p) = a(1-a) + (2a-1)^2 s(1-s).
   fisher_of_report: with a = e^eps/(1+e^eps) and s = sigma(x), the Fisher information I(x) = p'(x)^2/(p(1-p)) of one report
                     about x has the inverse 1/I = 1/sigma' + e^eps/(e^eps-1)^2 /sigma'^2.  The second term is what the
                     printed factor e^B leaves out: at |x| = B it is of the order e^(2B).
   two_terms:        e^B + k e^(2B) <= V + k V^2 <= 16 (e^B + k e^(2B)) for V = 1/sigma'(B), B >= 0.
   Line by line: W(B, eps) of the page is V + kappa V^2 here; p'(x) is any number that Coq's derivable_pt_lim accepts.
   What it does not say: no bound on any estimator (Cramer-Rao, van Trees) is proved here, and no upper bound. *)

Require Import Reals Lra Psatz.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

Definition sigma (x : R) := / (1 + exp (- x)).
Definition slope (x : R) := sigma x * (1 - sigma x).
Definition keep (eps : R) := exp eps / (1 + exp eps).
Definition report (a s : R) := a * s + (1 - a) * (1 - s).
Definition kappa (eps : R) := exp eps / (exp eps - 1) ^ 2.

(* x |-> P(report is +1) and the Fisher information of a Bernoulli variable with that mean. *)
Definition p (eps x : R) := report (keep eps) (sigma x).
Definition fisher (eps x dp : R) := dp ^ 2 / (p eps x * (1 - p eps x)).

Definition report_variance : Prop := forall a s : R,
  report a s * (1 - report a s) = a * (1 - a) + (2 * a - 1) ^ 2 * (s * (1 - s)).

Definition fisher_of_report : Prop := forall eps x dp : R, 0 < eps ->
  derivable_pt_lim (p eps) x dp ->
  / fisher eps x dp = / slope x + kappa eps * / slope x ^ 2.

Definition two_terms : Prop := forall B k : R, 0 <= B -> 0 <= k ->
  let V := / slope B in
  exp B + k * exp B ^ 2 <= V + k * V ^ 2 <= 16 * (exp B + k * exp B ^ 2).

(* ---- proofs ---- *)

Theorem report_variance_holds : report_variance.
Proof. intros a s; unfold report; ring. Qed.

Lemma sigma_pos x : 0 < sigma x < 1.
Proof.
  unfold sigma; generalize (exp_pos (- x)); intro H; split.
  - apply Rinv_0_lt_compat; lra.
  - rewrite <- Rinv_1; apply Rinv_lt_contravar; lra.
Qed.

(* slope is the derivative of sigma. *)
Lemma sigma_derivative x : derivable_pt_lim sigma x (slope x).
Proof.
  assert (P := exp_pos (- x)); apply is_derive_Reals; unfold sigma, slope.
  auto_derive; [lra|unfold sigma; field; lra].
Qed.

Lemma p_derivative eps x :
  derivable_pt_lim (p eps) x ((2 * keep eps - 1) * slope x).
Proof.
  replace ((2 * keep eps - 1) * slope x)
    with (keep eps * slope x + (1 - keep eps) * (0 - slope x)) by ring.
  apply (derivable_pt_lim_plus (fun x => keep eps * sigma x)
                               (fun x => (1 - keep eps) * (1 - sigma x))).
  - apply (derivable_pt_lim_scal sigma), sigma_derivative.
  - apply (derivable_pt_lim_scal (fun x => 1 - sigma x)).
    apply (derivable_pt_lim_minus (fun _ => 1) sigma).
    + apply derivable_pt_lim_const.
    + apply sigma_derivative.
Qed.

Theorem fisher_of_report_holds : fisher_of_report.
Proof.
  intros eps x dp He H.
  rewrite (uniqueness_limite _ _ _ _ H (p_derivative eps x)).
  unfold fisher, p; rewrite report_variance_holds.
  fold (slope x).
  assert (S : 0 < slope x) by (unfold slope; generalize (sigma_pos x); nra).
  assert (E : 1 < exp eps) by (rewrite <- exp_0; apply exp_increasing, He).
  unfold keep, kappa; generalize (slope x) (exp eps) S E; intros w e Hw Hp.
  assert (0 < w * (e - 1) ^ 2) by (apply Rmult_lt_0_compat; [lra|apply pow_lt; lra]).
  field; repeat split; try lra.
Qed.

Theorem two_terms_holds : two_terms.
Proof.
  intros B k HB Hk V.
  assert (E : 1 <= exp B) by (rewrite <- exp_0; destruct HB as [H|<-]; [left; apply exp_increasing, H|right; reflexivity]).
  assert (HV : V = exp B + 2 + / exp B).
  { unfold V, slope, sigma; rewrite exp_Ropp; generalize (exp B) E; intros; field; repeat split; nra. }
  assert (I : 0 < / exp B <= 1) by (split; [apply Rinv_0_lt_compat; lra|rewrite <- Rinv_1; apply Rinv_le_contravar; lra]).
  assert (A : exp B <= V <= 4 * exp B) by lra.
  clearbody V; generalize dependent (exp B); intros e; intros.
  assert (0 <= k * (V ^ 2 - e ^ 2)) by (apply Rmult_le_pos; nra).
  assert (0 <= k * (16 * e ^ 2 - V ^ 2)) by (apply Rmult_le_pos; nra).
  split; nra.
Qed.

Print Assumptions report_variance_holds.
Print Assumptions fisher_of_report_holds.
Print Assumptions two_terms_holds.
