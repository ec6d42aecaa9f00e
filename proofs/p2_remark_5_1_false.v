(* P2, Remark 5.1 against Theorem 5.2: "SquarechiPO is adaptive to the actual setting (CTL or LTC) in that it does not require
   the knowledge of the specific setting in advance, as well as the corruption level alpha."

   The paper (Theorem 5.2): for any comparator pi_star there is a choice of beta > 0 with which, under Assumptions 4.1 and 4.2, with
   probability at least 1 - delta the output pi^ of Algorithm 3 has
       J(pi_star) - J(pi^) <~ kappa(pi_star) (c(eps) sqrt(log(|Pi|/delta)/n) + alpha)      (CTL; c(eps) alpha under LTC),
       kappa(pi_star) = e^(2 R_max) V_max/R_max sqrt(C^pi_star).

   remark_5_1_false:  no choice of beta that is free of alpha has this bound, whatever the constant K behind <~: for every
       eps > 0, 0 < delta < 1, each order, and every function n |-> beta(n) > 0 the bound fails at some n, alpha and world.
   Line by line: beta may depend on n, eps, delta, the order and all that is fixed here: |Pi| = 2, V_max = 4, R_max = 1 and
       C^pi_star = 2; the classes contain the optimum of the mixed chi^2 objective at this beta (Assumption 4.1, optimality over
       all policies), and every implicit reward difference is at most V_max (Assumption 4.2); the loss, phi, the clipping at
       2 R_max and the debiasing c(eps) z are Algorithm 3's; any minimiser of the loss may be the output; D_chi2 is
       E_ref (pi/pi_ref - 1)^2/2 as phi(u) = u + log u asks for; Huber's bad distribution may differ from pair to pair, as in
       the proof of Lemma 3.3.
   What it does not say: anything against Theorem 5.2, whose beta may read alpha and the order; nor against Algorithm 3 as a
       procedure, which takes neither; nor the size of the loss (that is docs/explanations/price_of_adaptivity.md). *)

Require Import Reals Lra Lia List Bool.
From Coquelicot Require Import Coquelicot.
Import ListNotations.
Open Scope R_scope.

Definition sigma (x : R) : R := / (1 + exp (- x)).
Definition keep (eps : R) : R := exp eps / (1 + exp eps).
Definition c (eps : R) : R := (exp eps + 1) / (exp eps - 1).

(* One prompt and three responses. *)
Inductive response := X | Y | Z.
Definition total (f : response -> R) : R := f X + f Y + f Z.
Definition policy (p : response -> R) : Prop := (forall a, 0 <= p a) /\ total p = 1.

(* Definitions 2.2 to 2.4: the chance that the label of a pair received is +1. *)
Inductive order := CTL | LTC.
Definition randomised (eps p : R) : R := keep eps * p + (1 - keep eps) * (1 - p).
Definition huber (alpha bad p : R) : R := (1 - alpha) * p + alpha * bad.
Definition report (o : order) (alpha eps bad p : R) : R :=
  match o with CTL => randomised eps (huber alpha bad p) | LTC => huber alpha bad (randomised eps p) end.
Definition zeta (o : order) (eps : R) : R := match o with CTL => 1 | LTC => c eps end.

(* A sample is the pair (tau_1, tau_-1) of pi_ref and whether z = +1. *)
Notation sample := (response * response * bool)%type.
Definition samples : list sample := list_prod (list_prod [X; Y; Z] [X; Y; Z]) [true; false].
Definition law (o : order) (alpha eps : R) (ref r : response -> R) (bad : response -> response -> R) (s : sample) : R :=
  let '(a, a', z) := s in
  let p := report o alpha eps (bad a a') (sigma (r a - r a')) in ref a * ref a' * (if z then p else 1 - p).
Fixpoint sum {A : Type} (l : list A) (f : A -> R) : R :=
  match l with [] => 0 | a :: l' => f a + sum l' f end.
Fixpoint prob (p : sample -> R) (n : nat) (S : list sample -> bool) : R := match n with
  | O => if S [] then 1 else 0
  | Datatypes.S n' => sum samples (fun s => p s * prob p n' (fun d => S (s :: d)))
  end.

(* Algorithm 3 *)
Definition phi (u : R) : R := u + ln u.
Definition implicit (beta : R) (ref p : response -> R) (a a' : response) : R :=
  beta * phi (p a / ref a) - beta * phi (p a' / ref a').
Definition clip (M x : R) : R := Rmax (- M) (Rmin M x).
Definition loss (eps beta R_max : R) (ref p : response -> R) (s : sample) : R := let '(a, a', z) := s in
  (2 * sigma (clip (2 * R_max) (implicit beta ref p a a')) - 1 - c eps * (if z then 1 else -1)) ^ 2.
Definition algorithm_3 (eps beta R_max : R) (ref : response -> R) (Pi : list (response -> R))
    (learner : list sample -> response -> R) : Prop :=
  forall d, In (learner d) Pi /\ forall p, In p Pi -> sum d (loss eps beta R_max ref (learner d)) <= sum d (loss eps beta R_max ref p).

(* Assumptions 4.1 and 4.2, Definition 4.3, J *)
Definition mixed (beta : R) (ref r p : response -> R) : R := total (fun a => p a * r a) -
  beta * (total (fun a => ref a * (p a / ref a - 1) ^ 2 / 2) + total (fun a => p a * ln (p a / ref a))).
Definition realisable (beta : R) (ref r : response -> R) (Pi : list (response -> R)) : Prop :=
  exists star, In star Pi /\ forall p, policy p -> mixed beta ref r p <= mixed beta ref r star.
Definition bounded (beta V_max : R) (ref : response -> R) (Pi : list (response -> R)) : Prop :=
  forall p a a', In p Pi -> Rabs (implicit beta ref p a a') <= V_max.
Definition concentrability (ref p : response -> R) : R := total (fun a => p a * (p a / ref a)).
Definition J (r p : response -> R) : R := total (fun a => p a * r a).
Definition printed (o : order) (K eps delta alpha V_max R_max C card : R) (n : nat) : R :=
  K * (exp (2 * R_max) * (V_max / R_max) * sqrt C) * (c eps * sqrt (ln (card / delta) / INR n) + zeta o eps * alpha).
Definition at_most (x eta : R) : bool := if Rle_dec x eta then true else false.

(* Theorem 5.2 at a beta that is a function of n, for classes of two policies, V_max = 4, R_max = 1, C = 2. *)
Definition theorem_5_2 (o : order) (K eps delta : R) (beta : nat -> R) : Prop :=
  forall (n : nat) (alpha : R) (ref r : response -> R) (p1 p2 comparator : response -> R) (bad : response -> response -> R),
  (1 <= n)%nat -> 0 <= alpha < 1 / 2 -> policy ref -> (forall a, 0 < ref a) -> (forall a, 0 <= r a <= 1) ->
  policy p1 -> policy p2 -> policy comparator -> concentrability ref comparator = 2 -> (forall a a', 0 <= bad a a' <= 1) ->
  realisable (beta n) ref r [p1; p2] -> bounded (beta n) 4 ref [p1; p2] ->
  exists learner, algorithm_3 eps (beta n) 1 ref [p1; p2] learner /\
  1 - delta <= prob (law o alpha eps ref r bad) n
    (fun d => at_most (J r comparator - J r (learner d)) (printed o K eps delta alpha 4 1 2 2 n)).

Definition remark_5_1_false : Prop := forall (o : order) (K eps delta : R) (beta : nat -> R), 0 < eps -> 0 < delta < 1 ->
  (forall n, 0 < beta n) -> ~ theorem_5_2 o K eps delta beta.

(* ---- proofs ---- *)

Lemma ln_up x : 0 < x -> ln x <= x - 1.
Proof. intros H; assert (A := exp_ineq1_le (ln x)); rewrite exp_ln in A by exact H; lra. Qed.

Lemma ln_low x : 0 < x -> 1 - / x <= ln x.
Proof. intros H; assert (A := exp_ineq1_le (- ln x)); rewrite exp_Ropp, exp_ln in A by exact H; lra. Qed.

(* First-order conditions are enough: r - beta phi(star/ref) constant. *)
Lemma tangent u v : 0 <= u -> 0 < v -> (v - 1) ^ 2 / 2 + v * ln v + phi v * (u - v) <= (u - 1) ^ 2 / 2 + u * ln u.
Proof.
  intros Hu Hv; unfold phi; assert (A : u * ln v + u - v <= u * ln u).
  { destruct Hu as [Hu|<-]; [|lra]; assert (L := ln_low (u / v) ltac:(apply Rdiv_lt_0_compat; lra)).
    rewrite ln_div in L by lra; replace (/ (u / v)) with (v / u) in L by (field; lra).
    assert (M : u * (1 - v / u) <= u * (ln u - ln v)) by (apply Rmult_le_compat_l; lra).
    replace (u * (1 - v / u)) with (u - v) in M by (field; lra); lra. }
  generalize (pow2_ge_0 (u - v)); nra.
Qed.

Lemma first_order beta ref r star k : 0 < beta -> (forall a, 0 < ref a) -> policy star -> (forall a, 0 < star a) ->
  (forall a, r a = beta * phi (star a / ref a) + k) -> forall p, policy p -> mixed beta ref r p <= mixed beta ref r star.
Proof.
  intros Hb Hr [_ Ts] Hs H p [Pp Tp].
  assert (G : forall a, p a * r a - beta * (ref a * (p a / ref a - 1) ^ 2 / 2 + p a * ln (p a / ref a)) <=
    star a * r a - beta * (ref a * (star a / ref a - 1) ^ 2 / 2 + star a * ln (star a / ref a)) + k * (p a - star a)).
  { intros a; specialize (Hr a); specialize (Hs a); specialize (Pp a).
    assert (T := tangent (p a / ref a) (star a / ref a) ltac:(apply Rdiv_le_0_compat; lra) ltac:(apply Rdiv_lt_0_compat; lra)).
    apply Rmult_le_compat_l with (r := beta * ref a) in T; [|apply Rmult_le_pos; lra].
    rewrite (H a); set (u := p a / ref a) in *; set (v := star a / ref a) in *.
    replace (p a) with (ref a * u) by (unfold u; field; lra); replace (star a) with (ref a * v) by (unfold v; field; lra).
    replace (ref a * u * (beta * phi v + k) - beta * (ref a * (u - 1) ^ 2 / 2 + ref a * u * ln u))
      with (ref a * u * (beta * phi v + k) - beta * ref a * ((u - 1) ^ 2 / 2 + u * ln u)) by field.
    replace (ref a * v * (beta * phi v + k) - beta * (ref a * (v - 1) ^ 2 / 2 + ref a * v * ln v) + k * (ref a * u - ref a * v))
      with (ref a * u * (beta * phi v + k) - beta * ref a * ((v - 1) ^ 2 / 2 + v * ln v + phi v * (u - v))) by field; lra. }
  unfold mixed, total in *; generalize (G X) (G Y) (G Z); nra.
Qed.

(* Chernoff: the chance that a sum of n variables of mean below 0 is not below 0. *)
Lemma sum_le {A : Type} (l : list A) (f g : A -> R) : (forall a, f a <= g a) -> sum l f <= sum l g.
Proof. intros H; induction l as [|x l IH]; simpl; [lra|specialize (H x); lra]. Qed.

Lemma sum_scal {A : Type} (l : list A) (k : R) (f : A -> R) : sum l (fun a => k * f a) = k * sum l f.
Proof. induction l as [|x m IH]; simpl; [ring|rewrite IH; ring]. Qed.

Lemma sum_plus {A : Type} (l : list A) (f g : A -> R) : sum l (fun a => f a + g a) = sum l f + sum l g.
Proof. induction l as [|x l IH]; simpl; [ring|rewrite IH; ring]. Qed.

Lemma chernoff (p x : sample -> R) lam n : (forall s, 0 <= p s) -> forall (S : list sample -> bool) t,
  (forall d, S d = true -> 0 <= t + sum d x) ->
  0 <= lam -> prob p n S <= exp (lam * t) * sum samples (fun s => p s * exp (lam * x s)) ^ n.
Proof.
  intros P; induction n as [|n IH]; intros S t H Hl; cbn [prob].
  - specialize (H []); cbn [sum] in H; rewrite pow_O, Rmult_1_r; destruct (S []); [|left; apply exp_pos].
    specialize (H eq_refl); assert (A := exp_ineq1_le (lam * t)); assert (0 <= lam * t) by (apply Rmult_le_pos; lra); lra.
  - set (m := sum samples (fun s => p s * exp (lam * x s))) in *.
    apply Rle_trans with (sum samples (fun s => exp (lam * t) * m ^ n * (p s * exp (lam * x s)))).
    + apply sum_le; intros s.
      assert (Y := IH (fun d => S (s :: d)) (t + x s) ltac:(intros d E; specialize (H (s :: d) E); cbn [sum] in H; lra) Hl).
      replace (lam * (t + x s)) with (lam * t + lam * x s) in Y by ring; rewrite exp_plus in Y.
      replace (exp (lam * t) * m ^ n * (p s * exp (lam * x s))) with (p s * (exp (lam * t) * exp (lam * x s) * m ^ n)) by ring.
      apply Rmult_le_compat_l; [apply P|exact Y].
    + rewrite sum_scal; fold m; simpl; right; ring.
Qed.

Lemma exp_square y : - (1 / 3) <= y <= 1 / 3 -> exp y <= 1 + y + y ^ 2.
Proof.
  intros H; assert (A := exp_ineq1_le (- (y / 2))); assert (E : exp y * (exp (- (y / 2)) * exp (- (y / 2))) = 1).
  { rewrite <- !exp_plus, <- exp_0; f_equal; field. }
  assert (P := exp_pos y); assert (B : exp y * ((1 - y / 2) * (1 - y / 2)) <= 1).
  { rewrite <- E; apply Rmult_le_compat_l; [lra|]; apply Rmult_le_compat; lra. }
  assert (Q : 1 <= (1 + y + y ^ 2) * ((1 - y / 2) * (1 - y / 2))).
  { replace ((1 + y + y ^ 2) * ((1 - y / 2) * (1 - y / 2))) with (1 + y ^ 2 * ((1 - 3 * y + y ^ 2) / 4)) by field.
    assert (0 <= y ^ 2) by apply pow2_ge_0; assert (0 <= y ^ 2 * ((1 - 3 * y + y ^ 2) / 4)) by (apply Rmult_le_pos; lra); lra. }
  apply Rmult_le_reg_r with ((1 - y / 2) * (1 - y / 2)); [apply Rmult_lt_0_compat; lra|lra].
Qed.

(* n variables with |x| <= D and mean at most - mu: the chance that their sum is >= 0 goes to 0, at a rate of mu, D alone. *)
Lemma rarely (p x : sample -> R) (mu D : R) n (S : list sample -> bool) : (forall s, 0 <= p s) -> sum samples p = 1 ->
  0 < mu <= D -> (forall s, Rabs (x s) <= D) -> sum samples (fun s => p s * x s) <= - mu ->
  (forall d, S d = true -> 0 <= sum d x) -> prob p n S <= (1 - mu ^ 2 / (9 * D ^ 2)) ^ n.
Proof.
  intros P P1 [M0 MD] HD Mean HS; set (lam := mu / (3 * D ^ 2)).
  assert (D2 : 0 < D ^ 2) by (apply pow_lt; lra).
  assert (L0 : 0 <= lam) by (unfold lam; apply Rdiv_le_0_compat; lra).
  assert (C := chernoff p x lam n P S 0 ltac:(intros d E; specialize (HS d E); lra) L0).
  rewrite Rmult_0_r, exp_0, Rmult_1_l in C; apply Rle_trans with (1 := C); apply pow_incr; split.
  - apply Rle_trans with (sum samples (fun s => 0 * p s)); [rewrite sum_scal; lra|].
    apply sum_le; intros s; generalize (exp_pos (lam * x s)) (P s); intros; nra.
  - apply Rle_trans with (sum samples (fun s => (1 + lam ^ 2 * D ^ 2) * p s + lam * (p s * x s))).
    + apply sum_le; intros s; specialize (HD s); specialize (P s).
      assert (Xs : - D <= x s <= D) by (revert HD; unfold Rabs; destruct (Rcase_abs (x s)); lra).
      assert (LD : lam * D <= 1 / 3).
      { unfold lam; apply Rmult_le_reg_r with (3 * D); [lra|]; replace (mu / (3 * D ^ 2) * D * (3 * D)) with mu by (field; lra); lra. }
      assert (Y : - (1 / 3) <= lam * x s <= 1 / 3) by (split; nra).
      assert (E := exp_square (lam * x s) Y).
      assert (Sq : (lam * x s) ^ 2 <= lam ^ 2 * D ^ 2).
      { rewrite Rpow_mult_distr; apply Rmult_le_compat_l; [apply pow2_ge_0|nra]. }
      apply Rle_trans with (p s * (1 + lam * x s + lam ^ 2 * D ^ 2)); [apply Rmult_le_compat_l; lra|right; ring].
    + rewrite sum_plus, !sum_scal, P1.
      assert (lam * sum samples (fun s => p s * x s) <= lam * - mu) by (apply Rmult_le_compat_l; lra).
      assert (Z : lam ^ 2 * D ^ 2 - lam * mu = - (2 * (mu ^ 2 / (9 * D ^ 2)))) by (unfold lam; field; lra).
      assert (0 <= mu ^ 2 / (9 * D ^ 2)) by (apply Rdiv_le_0_compat; [apply pow2_ge_0|lra]); lra.
Qed.

(* The bound at alpha goes to K kappa zeta alpha. *)
Lemma vanishes (k : R) (L eta : R) : 0 <= L -> 0 < eta -> exists N, forall n, (N <= n)%nat -> (1 <= n)%nat -> k * sqrt (L / INR n) <= eta.
Proof.
  intros HL He; destruct (nfloor_ex ((Rabs k * (1 + L) / eta) ^ 2) (pow2_ge_0 _)) as [N [_ HN]].
  exists (S N); intros n Hn H1; assert (n0 : 1 <= INR n) by (apply (le_INR 1); lia).
  assert (Nn : INR N + 1 <= INR n) by (rewrite <- S_INR; apply le_INR; lia).
  assert (kp := Rabs_pos k); set (y := Rabs k * (1 + L) / eta) in *.
  assert (y0 : 0 <= y) by (unfold y; apply Rdiv_le_0_compat; [apply Rmult_le_pos; lra|lra]).
  assert (Sn : y <= sqrt (INR n)) by (rewrite <- (sqrt_pow2 y) by lra; apply sqrt_le_1_alt; lra).
  assert (s1 : 0 < sqrt (INR n)) by (apply sqrt_lt_R0; lra).
  rewrite sqrt_div_alt by lra.
  assert (sL : 0 <= sqrt L <= 1 + L) by (split; [apply sqrt_pos|rewrite <- (sqrt_square (1 + L)) by lra; apply sqrt_le_1_alt; nra]).
  apply Rle_trans with (Rabs k * ((1 + L) / sqrt (INR n))).
  - apply Rle_trans with (Rabs k * (sqrt L / sqrt (INR n))).
    + apply Rmult_le_compat_r; [apply Rdiv_le_0_compat; lra|apply Rle_abs].
    + apply Rmult_le_compat_l; [lra|]; apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|lra].
  - apply Rmult_le_reg_r with (sqrt (INR n)); [lra|].
    replace (Rabs k * ((1 + L) / sqrt (INR n)) * sqrt (INR n)) with (eta * y) by (unfold y; field; lra).
    apply Rmult_le_compat_l; lra.
Qed.

Lemma keep_c eps : 0 < eps -> 1 < c eps /\ 1 / 2 < keep eps < 1 /\ c eps * (2 * keep eps - 1) = 1.
Proof.
  intros He; assert (E : 1 < exp eps) by (rewrite <- exp_0; apply exp_increasing, He); unfold c, keep; repeat split.
  - apply Rmult_lt_reg_r with (exp eps - 1); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra.
  - apply Rmult_lt_reg_r with (1 + exp eps); [lra|]; unfold Rdiv; rewrite !Rmult_assoc, Rinv_l; lra.
  - apply Rmult_lt_reg_r with (1 + exp eps); [lra|]; unfold Rdiv; rewrite !Rmult_assoc, Rinv_l; lra.
  - field; lra.
Qed.

Lemma sigma_range x : 0 < sigma x < 1.
Proof.
  unfold sigma; generalize (exp_pos (- x)); intro H; split; [apply Rinv_0_lt_compat; lra|].
  rewrite <- Rinv_1; apply Rinv_lt_contravar; lra.
Qed.

Lemma sigma_opp x : sigma (- x) = 1 - sigma x.
Proof. unfold sigma; rewrite Ropp_involutive, exp_Ropp; generalize (exp_pos x); intro; field; lra. Qed.

Lemma report_range o alpha eps b p : 0 < eps -> 0 <= alpha < 1 / 2 -> 0 <= b <= 1 -> 0 <= p <= 1 -> 0 <= report o alpha eps b p <= 1.
Proof.
  intros He Ha Hb Hp; destruct (keep_c eps He) as [_ [K _]].
  assert (M : forall t u v, 0 <= t <= 1 -> 0 <= u <= 1 -> 0 <= v <= 1 -> 0 <= t * u + (1 - t) * v <= 1) by (intros; split; nra).
  destruct o; unfold report, randomised, huber.
  - apply M; [lra| |]; assert (Q := M (1 - alpha) p b ltac:(lra) Hp Hb); replace (1 - (1 - alpha)) with alpha in Q by ring; lra.
  - assert (Q := M (keep eps) p (1 - p) ltac:(lra) Hp ltac:(lra)); assert (W := M (1 - alpha) _ b ltac:(lra) Q Hb).
    replace (1 - (1 - alpha)) with alpha in W by ring; exact W.
Qed.

Lemma law_is o alpha eps ref r bad : 0 < eps -> 0 <= alpha < 1 / 2 -> policy ref -> (forall a a', 0 <= bad a a' <= 1) ->
  (forall s, 0 <= law o alpha eps ref r bad s) /\ sum samples (law o alpha eps ref r bad) = 1.
Proof.
  intros He Ha [P T] Hb; split.
  - intros [[a a'] z]; unfold law; assert (Q := report_range o alpha eps (bad a a') (sigma (r a - r a')) He Ha (Hb a a') ltac:(generalize (sigma_range (r a - r a')); lra)).
    assert (0 <= ref a * ref a') by (apply Rmult_le_pos; apply P); destruct z; apply Rmult_le_pos; lra.
  - unfold total in T; unfold samples; cbn [list_prod map app sum law].
    replace 1 with ((ref X + ref Y + ref Z) * (ref X + ref Y + ref Z)) at 10 by (rewrite T; ring); ring.
Qed.

(* ---- beta large: no corruption, the regularised optimum is far from the comparator ---- *)

Definition three (x y z : R) (a : response) : R := match a with X => x | Y => y | Z => z end.

Lemma large_beta o K eps delta beta n b : 0 < eps -> 0 < delta < 1 -> 0 < beta n -> 0 < b -> b <= beta n -> (1 <= n)%nat ->
  printed o K eps delta 0 4 1 2 2 n < Rmin b (1 / 3) / 4 -> ~ theorem_5_2 o K eps delta beta.
Proof.
  intros He Hd Hbeta Hb Hbn Hn Small H; set (be := beta n) in *.
  set (t := Rmin (1 / 2) (/ (6 * be))).
  assert (i6 : 0 < / (6 * be)) by (apply Rinv_0_lt_compat; lra).
  assert (T : 0 < t <= 1 / 2 /\ t <= / (6 * be)).
  { unfold t; repeat split; [apply Rmin_glb_lt; lra|apply Rmin_l|apply Rmin_r]. }
  assert (tb : t * be <= 1 / 6) by (apply Rle_trans with (/ (6 * be) * be); [apply Rmult_le_compat_r; lra|right; field; lra]).
  assert (tb' : Rmin b (1 / 3) / 2 <= t * be).
  { unfold t; destruct (Rle_dec (1 / 2) (/ (6 * be))) as [L|L].
    - rewrite (Rmin_left (1 / 2)) by exact L; assert (Q := Rmin_l b (1 / 3)); lra.
    - rewrite (Rmin_right (1 / 2)) by lra; assert (Q := Rmin_r b (1 / 3)); replace (/ (6 * be) * be) with (1 / 6) by (field; lra); lra. }
  set (D := be * (2 * t + (ln (1 + t) - ln (1 - t)))).
  assert (L1 := ln_up (1 + t) ltac:(lra)); assert (L2 := ln_low (1 - t) ltac:(lra)); assert (L3 := ln_low (1 + t) ltac:(lra)); assert (L4 := ln_up (1 - t) ltac:(lra)).
  assert (i1 : / (1 - t) <= 1 + 2 * t).
  { apply Rmult_le_reg_r with (1 - t); [lra|]; rewrite Rinv_l by lra; nra. }
  assert (i2 : / (1 + t) <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
  assert (HD : Rmin b (1 / 3) <= D <= 1) by (unfold D; split; nra).
  assert (Q0 := Rmin_glb_lt b (1 / 3) 0 Hb ltac:(lra)).
  set (ref := three (1 / 4) (1 / 2) (1 / 4)); set (r := three 0 D 0); set (star := three ((1 - t) / 4) ((1 + t) / 2) ((1 - t) / 4)).
  set (point := three 0 1 0).
  assert (Pref : policy ref) by (split; [intros []; unfold ref, three; lra|unfold total, ref, three; lra]).
  assert (Pstar : policy star) by (split; [intros []; unfold star, three; lra|unfold total, star, three; lra]).
  assert (Ppoint : policy point) by (split; [intros []; unfold point, three; lra|unfold total, point, three; lra]).
  destruct (H n 0 ref r star ref point (fun _ _ => 0)) as [learner [HA HP]]; try assumption; try lra.
  - intros []; unfold ref, three; lra.
  - intros []; unfold r, three; lra.
  - unfold concentrability, total, point, ref, three; field.
  - intros; lra.
  - exists star; split; [now left|].
    apply (first_order (beta n) ref r star (- (be * phi (1 - t)))); fold be; [lra|intros []; unfold ref, three; lra|exact Pstar|intros []; unfold star, three; lra|].
    intros []; unfold r, star, ref, three; unfold phi.
    + replace ((1 - t) / 4 / (1 / 4)) with (1 - t) by field; ring.
    + replace ((1 + t) / 2 / (1 / 2)) with (1 + t) by field; unfold D; ring.
    + replace ((1 - t) / 4 / (1 / 4)) with (1 - t) by field; ring.
  - assert (G : forall p, In p [star; ref] -> exists k, forall a, be * phi (p a / ref a) = k + (match a with Y => if Req_EM_T (p Y) (1 / 2) then 0 else D | _ => 0 end)).
    { intros p [<-|[<-|[]]].
      - exists (be * phi (1 - t)); intros a; unfold star, ref, three.
        destruct (Req_EM_T ((1 + t) / 2) (1 / 2)) as [E|_]; [lra|].
        destruct a; unfold phi; [replace ((1 - t) / 4 / (1 / 4)) with (1 - t) by field; ring| |replace ((1 - t) / 4 / (1 / 4)) with (1 - t) by field; ring].
        replace ((1 + t) / 2 / (1 / 2)) with (1 + t) by field; unfold D; ring.
      - exists (be * phi 1); intros a; unfold ref, three; destruct (Req_EM_T (1 / 2) (1 / 2)) as [_|E]; [|lra].
        replace (match a with X => 1 / 4 | Y => 1 / 2 | Z => 1 / 4 end / match a with X => 1 / 4 | Y => 1 / 2 | Z => 1 / 4 end) with 1 by (destruct a; field).
        destruct a; ring. }
    intros p a a' Ip; destruct (G p Ip) as [k Hk]; unfold implicit; fold be; rewrite !Hk.
    assert (Q := Rmin_glb_lt b (1 / 3) 0 Hb ltac:(lra)).
    destruct a, a'; destruct (Req_EM_T (p Y) (1 / 2)); unfold Rabs; destruct (Rcase_abs _); lra.
  - assert (Z : forall m, prob (law o 0 eps ref r (fun _ _ => 0)) m (fun d => false) = 0).
    { induction m as [|m IH]; [reflexivity|]; cbn [prob]; rewrite IH.
      transitivity (sum samples (fun s => 0 * law o 0 eps ref r (fun _ _ => 0) s)); [|rewrite sum_scal; ring].
      apply Rle_antisym; apply sum_le; intros; lra. }
    assert (E : forall m (S S' : list sample -> bool), (forall d, S d = S' d) -> prob (law o 0 eps ref r (fun _ _ => 0)) m S = prob (law o 0 eps ref r (fun _ _ => 0)) m S').
    { induction m as [|m IH]; intros S S' HS; cbn [prob]; [now rewrite HS|].
      apply Rle_antisym; apply sum_le; intros s; rewrite (IH (fun d => S (s :: d)) (fun d => S' (s :: d))) by (intros; apply HS); lra. }
    rewrite (E n _ (fun _ => false)) in HP; [rewrite Z in HP; lra|].
    intros d; unfold at_most; destruct (Rle_dec _ _) as [L|]; [exfalso|reflexivity].
    assert (Q := Rmin_glb_lt b (1 / 3) 0 Hb ltac:(lra)).
    assert (Jp : J r point = D) by (unfold J, total, r, point, three; ring).
    destruct (HA d) as [[E1|[E1|[]]] _]; rewrite <- E1, Jp in L; unfold J, total, r, star, ref, three in L; nra.
Qed.

(* ---- beta small: corruption ---- *)

Lemma logistic_close d e : 0 <= d -> 0 <= e <= 1 -> 2 * sigma d - 1 <= 2 * sigma (d + e) - 1 <= 2 * sigma d - 1 + 2 * e.
Proof.
  intros Hd He; unfold sigma.
  replace (exp (- (d + e))) with (exp (- d) * exp (- e)) by (rewrite <- exp_plus; f_equal; ring).
  assert (A := exp_pos (- d)); assert (B := exp_pos (- e)); assert (C := exp_ineq1_le (- e)).
  assert (A1 : exp (- d) <= 1) by (rewrite <- exp_0; destruct Hd as [Hd|<-]; [left; apply exp_increasing; lra|rewrite Ropp_0; lra]).
  assert (B1 : exp (- e) <= 1) by (rewrite <- exp_0; destruct (proj1 He) as [H|<-]; [left; apply exp_increasing; lra|rewrite Ropp_0; lra]).
  set (x := exp (- d)) in *; set (y := exp (- e)) in *.
  assert (P : 0 < x * y) by (apply Rmult_lt_0_compat; lra); assert (Q : x * y <= x) by nra.
  assert (I1 : / (1 + x) <= / (1 + x * y)) by (apply Rinv_le_contravar; lra).
  split; [lra|].
  assert (D : / (1 + x * y) - / (1 + x) = x * (1 - y) * (/ (1 + x * y) * / (1 + x))) by (field; lra).
  assert (U1 : 0 < / (1 + x * y) <= 1) by (split; [apply Rinv_0_lt_compat; lra|rewrite <- Rinv_1; apply Rinv_le_contravar; lra]).
  assert (U2 : 0 < / (1 + x) <= 1) by (split; [apply Rinv_0_lt_compat; lra|rewrite <- Rinv_1; apply Rinv_le_contravar; lra]).
  assert (V : 0 <= x * (1 - y) <= e) by (split; nra).
  assert (W : 0 <= / (1 + x * y) * / (1 + x) <= 1) by (split; nra); nra.
Qed.

Lemma clip_id M x : - M <= x <= M -> clip M x = x.
Proof. intros H; unfold clip; rewrite Rmin_right by lra; apply Rmax_right; lra. Qed.

Lemma clip_opp M x : 0 <= M -> clip M (- x) = - clip M x.
Proof.
  intros H; unfold clip, Rmin; destruct (Rle_dec M (- x)), (Rle_dec M x); unfold Rmax; repeat destruct (Rle_dec _ _); lra.
Qed.

Section Corrupted.

Variables (o : order) (eps alpha be : R).

Hypothesis He : 0 < eps.

Hypothesis Ha : 0 < alpha <= 1 / 4.

Hypothesis Hb : 0 < be <= alpha ^ 2 / (64 * (1 + c eps) ^ 2).

Let C1 : 1 < c eps := proj1 (keep_c eps He).

Lemma be_small : be <= alpha / 16 /\ be <= 1 / 64 /\ be * (64 * (1 + c eps) ^ 2) <= alpha ^ 2.
Proof.
  assert (Q : be * (64 * (1 + c eps) ^ 2) <= alpha ^ 2).
  { assert (0 < (1 + c eps) ^ 2) by (apply pow_lt; lra).
    apply Rle_trans with (alpha ^ 2 / (64 * (1 + c eps) ^ 2) * (64 * (1 + c eps) ^ 2)); [apply Rmult_le_compat_r; lra|right; field; lra]. }
  assert (4 <= (1 + c eps) ^ 2) by nra; assert (alpha ^ 2 <= alpha / 4) by nra; repeat split; try exact Q; nra.
Qed.

(* pi_ref, the true rewards and their optimum *)
Let ref := three (1 / 2 - be) (1 / 2) be.

Let uz := exp (- / (2 * be)).

Let uc := (1 - be * uz) / (1 - be).

Let star := three ((1 / 2 - be) * uc) (1 / 2 * uc) (be * uz).

Let r1 := be * phi uc - be * phi uz.

Let r := three r1 r1 0.

(* what corruption makes look better *)
Let d := ln ((1 + alpha) / (1 - alpha)).

Let ey := exp (- d / be).

Let ux := / (1 - 2 * be + ey).

Let wrong := three ((1 / 2 - be) * ux) (1 / 2 * (ux * ey)) (1 / 2).

Let bad (a a' : response) : R := match a, a' with X, Y => 1 | Y, X => 0 | _, _ => 1 / 2 end.

Let point := three 0 1 0.

Lemma uz_range : 0 < uz <= 1 /\ ln uz = - / (2 * be).
Proof.
  assert (0 < / (2 * be)) by (apply Rinv_0_lt_compat; lra); unfold uz; rewrite ln_exp; repeat split; [apply exp_pos|].
  rewrite <- exp_0; left; apply exp_increasing; lra.
Qed.

Lemma uc_range : 1 <= uc <= 65 / 63 /\ 0 <= ln uc <= 2 / 63.
Proof.
  destruct be_small as [_ [B _]]; destruct uz_range as [U _]; unfold uc.
  assert (A : 1 <= (1 - be * uz) / (1 - be) <= 65 / 63).
  { split; apply Rmult_le_reg_r with (1 - be); try lra; unfold Rdiv; rewrite ?Rmult_assoc, Rinv_l by lra; nra. }
  split; [exact A|split].
  - rewrite <- ln_1; destruct (Req_dec 1 ((1 - be * uz) / (1 - be))) as [<-|]; [lra|left; apply ln_increasing; lra].
  - apply Rle_trans with (1 := ln_up ((1 - be * uz) / (1 - be)) ltac:(lra)); lra.
Qed.

Lemma r1_range : 1 / 2 <= r1 <= 1.
Proof.
  destruct be_small as [_ [B _]]; destruct uz_range as [U Lz]; destruct uc_range as [V Lc].
  unfold r1, phi; rewrite Lz; replace (be * (uc + ln uc) - be * (uz + - / (2 * be))) with (1 / 2 + be * (uc + ln uc - uz)) by (field; lra).
  split; nra.
Qed.

Lemma d_range : 0 <= d <= 2 / 3 /\ 2 * sigma d - 1 = alpha.
Proof.
  assert (Q : 0 < (1 + alpha) / (1 - alpha)) by (apply Rdiv_lt_0_compat; lra); unfold d; split; [split|].
  - apply Rle_trans with (2 := ln_low _ Q); replace (/ ((1 + alpha) / (1 - alpha))) with ((1 - alpha) / (1 + alpha)) by (field; lra).
    apply Rmult_le_reg_r with (1 + alpha); [lra|]; rewrite Rmult_minus_distr_r; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra.
  - apply Rle_trans with (1 := ln_up _ Q); apply Rmult_le_reg_r with (1 - alpha); [lra|].
    rewrite Rmult_minus_distr_r; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra.
  - unfold sigma; rewrite exp_Ropp, exp_ln by exact Q; field; repeat split; lra.
Qed.

Lemma ux_range : 0 < ey <= 1 /\ 1 / 2 <= ux <= 32 / 31 /\ - 1 <= ln ux <= 1 / 31 /\ ln ey = - d / be.
Proof.
  destruct be_small as [_ [B _]]; destruct d_range as [Dr _].
  assert (E : 0 < ey <= 1).
  { unfold ey; split; [apply exp_pos|]; rewrite <- exp_0; assert (Q : - d / be <= 0).
    { apply Rmult_le_reg_r with be; [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra. }
    destruct Q as [Q| ->]; [left; now apply exp_increasing|lra]. }
  assert (U : 1 / 2 <= ux <= 32 / 31).
  { unfold ux; split.
    - replace (1 / 2) with (/ 2) by field; apply Rinv_le_contravar; lra.
    - replace (32 / 31) with (/ (31 / 32)) by field; apply Rinv_le_contravar; lra. }
  split; [exact E|split; [exact U|split; [split|unfold ey; apply ln_exp]]].
  - apply Rle_trans with (2 := ln_low ux ltac:(lra)); assert (/ ux <= / (1 / 2)) by (apply Rinv_le_contravar; lra).
    replace (/ (1 / 2)) with 2 in * by field; lra.
  - apply Rle_trans with (1 := ln_up ux ltac:(lra)); lra.
Qed.

Lemma policies : policy ref /\ (forall a, 0 < ref a) /\ policy star /\ (forall a, 0 < star a) /\ policy wrong /\ policy point.
Proof.
  destruct be_small as [_ [B _]]; destruct uz_range as [U _]; destruct uc_range as [V _]; destruct ux_range as [E [Ux _]].
  assert (Pr : forall a, 0 < ref a) by (intros []; unfold ref, three; lra).
  assert (Ps : forall a, 0 < star a) by (intros []; unfold star, three; apply Rmult_lt_0_compat; lra).
  split; [split; [intros a; left; apply Pr|unfold total, ref, three; lra]|].
  split; [exact Pr|split; [split; [intros a; left; apply Ps|]|split; [exact Ps|split]]].
  - unfold total, star, three, uc; field; lra.
  - split; [intros []; unfold wrong, three; repeat apply Rmult_le_pos; lra|].
    unfold total, wrong, three; assert (Q : ux * (1 - 2 * be + ey) = 1) by (unfold ux; apply Rinv_l; lra); lra.
  - split; [intros []; unfold point, three; lra|unfold total, point, three; lra].
Qed.

Lemma star_implicit a a' : implicit be ref star a a' = r a - r a'.
Proof.
  destruct be_small as [_ [B _]]; unfold implicit, star, ref, r, three.
  destruct a, a'; rewrite ?(Rmult_comm _ uc), ?(Rmult_comm _ uz); unfold Rdiv;
    rewrite ?(Rmult_assoc uc), ?(Rmult_assoc uz), ?Rinv_r, ?Rmult_1_r by lra; unfold r1; ring.
Qed.

Let gx := be * phi ux.

Lemma wrong_values : be * phi (wrong X / ref X) = gx /\ gx - be * phi (wrong Y / ref Y) = d + be * (ux * (1 - ey)) /\
  0 <= be * phi (wrong Z / ref Z) - gx <= 5 / 4.
Proof.
  destruct be_small as [_ [B _]]; destruct ux_range as [E [U [Lu Le]]]; destruct d_range as [Dr _].
  assert (WX : wrong X / ref X = ux) by (unfold wrong, ref, three; field; lra).
  assert (WY : wrong Y / ref Y = ux * ey) by (unfold wrong, ref, three; field; lra).
  assert (WZ : wrong Z / ref Z = / (2 * be)) by (unfold wrong, ref, three; field; lra).
  rewrite WX, WY, WZ; split; [reflexivity|split].
  - unfold gx, phi; rewrite ln_mult by lra; rewrite Le; field; lra.
  - assert (I : 1 <= / (2 * be)) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
    assert (L1 := ln_up (/ (2 * be)) ltac:(lra)); assert (L0 : 0 <= ln (/ (2 * be))).
    { rewrite <- ln_1; destruct (Req_dec 1 (/ (2 * be))) as [<-|]; [lra|left; apply ln_increasing; lra]. }
    unfold gx, phi; rewrite Rmult_plus_distr_l; replace (be * / (2 * be)) with (1 / 2) by (field; lra).
    assert (be * ln (/ (2 * be)) <= be * / (2 * be)) by (apply Rmult_le_compat_l; lra).
    replace (be * / (2 * be)) with (1 / 2) in * by (field; lra).
    assert (0 <= be * ln (/ (2 * be))) by (apply Rmult_le_pos; lra); split; nra.
Qed.

Let h := d + be * (ux * (1 - ey)).

Lemma h_range : d <= h <= d + 2 * be /\ h <= 1.
Proof.
  destruct be_small as [_ [B _]]; destruct ux_range as [E [U _]]; destruct d_range as [Dr _].
  assert (0 <= ux * (1 - ey) <= 2) by (split; nra); unfold h; repeat split; nra.
Qed.

Let tau := 2 * sigma h - 1.

Lemma tau_range : alpha <= tau <= 3 / 2 * alpha.
Proof.
  destruct be_small as [A [B _]]; destruct h_range as [[H1 H2] _]; destruct d_range as [[D0 D1] Ds].
  assert (L := logistic_close d (h - d) D0 ltac:(lra)); replace (d + (h - d)) with h in L by ring; unfold tau; lra.
Qed.

Lemma all_bounded : bounded be 4 ref [star; wrong].
Proof.
  intros p a a' [<-|[<-|[]]].
  - rewrite star_implicit; destruct r1_range as [A B]; unfold r, three; destruct a, a'; unfold Rabs; destruct (Rcase_abs _); lra.
  - destruct wrong_values as [WX [WY WZ]]; destruct h_range as [[H1 H2] H3]; fold h in WY; destruct d_range as [Dr _].
    unfold implicit; rewrite <- WX in WY, WZ; destruct a, a'; unfold Rabs; destruct (Rcase_abs _); lra.
Qed.

Lemma true_realisable : realisable be ref r [star; wrong].
Proof.
  destruct policies as [_ [Pr [Ps [Ps' _]]]]; destruct uz_range as [U _]; destruct uc_range as [V _]; destruct be_small as [_ [B _]].
  exists star; split; [now left|]; apply (first_order be ref r star (- (be * phi uz))); try assumption; [lra|].
  intros []; unfold r, star, ref, three, r1.
  - replace ((1 / 2 - be) * uc / (1 / 2 - be)) with uc by (field; lra); ring.
  - replace (1 / 2 * uc / (1 / 2)) with uc by field; ring.
  - replace (be * uz / be) with uz by (field; lra); ring.
Qed.

(* Loss of the wrong policy less that of the true one, on one sample. *)
Let more (s : sample) : R := loss eps be 1 ref wrong s - loss eps be 1 ref star s.

Let seen (p : response -> R) (a a' : response) : R := 2 * sigma (clip (2 * 1) (implicit be ref p a a')) - 1.

Lemma more_is a a' z : more (a, a', z) = (seen wrong a a' - seen star a a') * (seen wrong a a' + seen star a a' - 2 * c eps * (if z then 1 else -1)).
Proof. unfold more, loss; fold (seen wrong a a') (seen star a a'); ring. Qed.

Lemma seen_range p a a' : -1 <= seen p a a' <= 1.
Proof. unfold seen; generalize (sigma_range (clip (2 * 1) (implicit be ref p a a'))); lra. Qed.

Lemma seen_same p a : seen p a a = 0.
Proof.
  unfold seen; replace (implicit be ref p a a) with 0 by (unfold implicit; ring); rewrite clip_id by lra.
  unfold sigma; rewrite Ropp_0, exp_0; lra.
Qed.

Lemma seen_opp p a a' : seen p a' a = - seen p a a'.
Proof.
  unfold seen; replace (implicit be ref p a' a) with (- implicit be ref p a a') by (unfold implicit; ring).
  rewrite clip_opp by lra; rewrite sigma_opp; ring.
Qed.

Lemma seen_XY : seen wrong X Y = tau /\ seen star X Y = 0.
Proof.
  split; unfold seen.
  - destruct wrong_values as [WX [WY _]]; unfold implicit; rewrite WX, WY; fold h; destruct h_range as [[H1 H2] H3]; destruct d_range as [Dr _].
    rewrite clip_id by lra; reflexivity.
  - rewrite star_implicit; replace (r X - r Y) with 0 by (unfold r, three; ring); rewrite clip_id by lra.
    unfold sigma; rewrite Ropp_0, exp_0; lra.
Qed.

Lemma more_bounded s : Rabs (more s) <= 4 * (1 + c eps) ^ 2.
Proof.
  destruct s as [[a a'] z]; rewrite more_is.
  assert (A := seen_range wrong a a'); assert (B := seen_range star a a').
  rewrite Rabs_mult; replace (4 * (1 + c eps) ^ 2) with ((2 * (1 + c eps)) * (2 * (1 + c eps))) by ring.
  apply Rmult_le_compat; try apply Rabs_pos; unfold Rabs; destruct (Rcase_abs _); destruct z; lra.
Qed.

(* Means over the label. *)
Let q (a a' : response) : R := report o alpha eps (bad a a') (sigma (r a - r a')).

Lemma biased : alpha <= c eps * (2 * q X Y - 1) /\ c eps * (2 * q Y X - 1) <= - alpha.
Proof.
  assert (KC := keep_c eps He); destruct KC as [_ [K CK]]; unfold q, bad; replace (r X - r Y) with 0 by (unfold r, three; ring); replace (r Y - r X) with 0 by (unfold r, three; ring).
  assert (S0 : sigma 0 = 1 / 2) by (unfold sigma; rewrite Ropp_0, exp_0; field); rewrite S0.
  destruct o; unfold report, randomised, huber.
  - replace (c eps * (2 * (keep eps * ((1 - alpha) * (1 / 2) + alpha * 1) + (1 - keep eps) * (1 - ((1 - alpha) * (1 / 2) + alpha * 1))) - 1))
      with (c eps * (2 * keep eps - 1) * alpha) by field.
    replace (c eps * (2 * (keep eps * ((1 - alpha) * (1 / 2) + alpha * 0) + (1 - keep eps) * (1 - ((1 - alpha) * (1 / 2) + alpha * 0))) - 1))
      with (- (c eps * (2 * keep eps - 1) * alpha)) by field; rewrite CK; lra.
  - replace (c eps * (2 * ((1 - alpha) * (keep eps * (1 / 2) + (1 - keep eps) * (1 - 1 / 2)) + alpha * 1) - 1)) with (c eps * alpha) by field.
    replace (c eps * (2 * ((1 - alpha) * (keep eps * (1 / 2) + (1 - keep eps) * (1 - 1 / 2)) + alpha * 0) - 1)) with (- (c eps * alpha)) by field; nra.
Qed.

Lemma mean_below : sum samples (fun s => law o alpha eps ref r bad s * more s) <= - (alpha ^ 2 / 16).
Proof.
  destruct be_small as [_ [B Q]]; destruct biased as [B1 B2]; destruct seen_XY as [S1 S2]; destruct tau_range as [T1 T2].
  destruct policies as [[Pr _] _].
  set (m := fun a a' : response => q a a' * more (a, a', true) + (1 - q a a') * more (a, a', false)).
  assert (E : sum samples (fun s => law o alpha eps ref r bad s * more s) =
    ref X * ref X * m X X + ref X * ref Y * m X Y + ref X * ref Z * m X Z + ref Y * ref X * m Y X + ref Y * ref Y * m Y Y +
    ref Y * ref Z * m Y Z + ref Z * ref X * m Z X + ref Z * ref Y * m Z Y + ref Z * ref Z * m Z Z).
  { unfold samples; cbn [list_prod map app sum law]; fold (q X X) (q X Y) (q X Z) (q Y X) (q Y Y) (q Y Z) (q Z X) (q Z Y) (q Z Z); unfold m; ring. }
  rewrite E; clear E.
  assert (Same : forall a, m a a = 0) by (intros a; unfold m; rewrite !more_is, !seen_same; ring).
  assert (XY : m X Y <= - (alpha ^ 2 / 2)).
  { unfold m; rewrite !more_is, S1, S2.
    replace (q X Y * ((tau - 0) * (tau + 0 - 2 * c eps * 1)) + (1 - q X Y) * ((tau - 0) * (tau + 0 - 2 * c eps * -1)))
      with (tau * (tau - 2 * (c eps * (2 * q X Y - 1)))) by ring.
    assert (tau - 2 * (c eps * (2 * q X Y - 1)) <= - (alpha / 2)) by lra; nra. }
  assert (YX : m Y X <= - (alpha ^ 2 / 2)).
  { unfold m; rewrite !more_is, !(seen_opp _ X Y), S1, S2.
    replace (q Y X * ((- tau - - 0) * (- tau + - 0 - 2 * c eps * 1)) + (1 - q Y X) * ((- tau - - 0) * (- tau + - 0 - 2 * c eps * -1)))
      with (tau * (tau + 2 * (c eps * (2 * q Y X - 1)))) by ring.
    assert (tau + 2 * (c eps * (2 * q Y X - 1)) <= - (alpha / 2)) by lra; nra. }
  assert (Any : forall a a', m a a' <= 4 * (1 + c eps) ^ 2).
  { intros a a'; unfold m; assert (R := report_range o alpha eps (bad a a') (sigma (r a - r a')) He ltac:(lra)
      ltac:(unfold bad; destruct a, a'; lra) ltac:(generalize (sigma_range (r a - r a')); lra)); fold (q a a') in R.
    assert (X1 := more_bounded (a, a', true)); assert (X2 := more_bounded (a, a', false)).
    assert (Y1 := Rle_abs (more (a, a', true))); assert (Y2 := Rle_abs (more (a, a', false))); nra. }
  rewrite !Same; set (D := 4 * (1 + c eps) ^ 2) in *.
  assert (D0 : 0 < D) by (unfold D; assert (0 < (1 + c eps) ^ 2) by (apply pow_lt; lra); lra).
  assert (w : forall a a' x, 0 <= a -> 0 <= a' -> m x Z <= D -> a * a' * m x Z <= a * a' * D) by (intros; apply Rmult_le_compat_l; [apply Rmult_le_pos|]; lra).
  assert (W1 : ref X * ref Z * m X Z <= ref X * ref Z * D) by (apply Rmult_le_compat_l; [apply Rmult_le_pos; apply Pr|apply Any]).
  assert (W2 : ref Y * ref Z * m Y Z <= ref Y * ref Z * D) by (apply Rmult_le_compat_l; [apply Rmult_le_pos; apply Pr|apply Any]).
  assert (W3 : ref Z * ref X * m Z X <= ref Z * ref X * D) by (apply Rmult_le_compat_l; [apply Rmult_le_pos; apply Pr|apply Any]).
  assert (W4 : ref Z * ref Y * m Z Y <= ref Z * ref Y * D) by (apply Rmult_le_compat_l; [apply Rmult_le_pos; apply Pr|apply Any]).
  assert (V1 : ref X * ref Y * m X Y <= ref X * ref Y * - (alpha ^ 2 / 2)) by (apply Rmult_le_compat_l; [apply Rmult_le_pos; apply Pr|exact XY]).
  assert (V2 : ref Y * ref X * m Y X <= ref Y * ref X * - (alpha ^ 2 / 2)) by (apply Rmult_le_compat_l; [apply Rmult_le_pos; apply Pr|exact YX]).
  assert (RX : ref X = 1 / 2 - be) by reflexivity; assert (RY : ref Y = 1 / 2) by reflexivity; assert (RZ : ref Z = be) by reflexivity.
  rewrite RX, RY, RZ in *.
  assert (DQ : be * D <= alpha ^ 2 / 16) by (unfold D; lra).
  assert (a2 : 0 < alpha ^ 2) by (apply pow_lt; lra).
  assert (Z1 : (1 / 2 - be) * be * D <= 1 / 2 * (be * D)) by (assert (0 < be * D) by (apply Rmult_lt_0_compat; lra); nra).
  assert (Z2 : (1 / 2 - be) * (1 / 2) * - (alpha ^ 2 / 2) <= - (alpha ^ 2 * (31 / 256))) by nra.
  lra.
Qed.

End Corrupted.

Lemma small_beta o K eps delta beta n alpha : 0 < eps -> 0 < alpha <= 1 / 4 ->
  0 < beta n <= alpha ^ 2 / (64 * (1 + c eps) ^ 2) -> (1 <= n)%nat -> printed o K eps delta alpha 4 1 2 2 n < 1 / 4 ->
  (1 - (alpha ^ 2 / 16) ^ 2 / (9 * (4 * (1 + c eps) ^ 2) ^ 2)) ^ n < 1 - delta -> ~ theorem_5_2 o K eps delta beta.
Proof.
  intros He Ha Hb Hn Small Rare H.
  assert (R1 := r1_range eps alpha (beta n) He Ha Hb); assert (Po := policies eps alpha (beta n) He Ha Hb).
  assert (Bo := all_bounded eps alpha (beta n) He Ha Hb); assert (Re := true_realisable eps alpha (beta n) He Ha Hb).
  assert (Me := mean_below o eps alpha (beta n) He Ha Hb); assert (Mb := more_bounded eps alpha (beta n) He Ha).
  cbv zeta in *.
  match type of Re with realisable _ ?a ?b (?s :: ?w :: nil) => set (ref := a) in *; set (r := b) in *; set (star := s) in *; set (wrong := w) in * end.
  match type of Me with context [law _ _ _ _ _ ?b _] => set (bad := b) in * end.
  destruct Po as [Pr [Pr' [Ps [Ps' [Pw Pp]]]]].
  assert (Bad : forall a a', 0 <= bad a a' <= 1) by (intros a a'; unfold bad; destruct a, a'; lra).
  destruct (law_is o alpha eps ref r bad He ltac:(lra) Pr Bad) as [L0 L1].
  destruct (H n alpha ref r star wrong (three 0 1 0) bad) as [learner [HA HP]]; try assumption; try lra.
  - intros []; unfold r, three; lra.
  - unfold concentrability, total, ref, three; field; destruct (be_small eps alpha (beta n) He Ha Hb) as [_ [B _]]; lra.
  - assert (C1 := proj1 (keep_c eps He)); assert (D4 : 4 <= (1 + c eps) ^ 2) by nra.
    assert (Ra := rarely (law o alpha eps ref r bad)
      (fun s => loss eps (beta n) 1 ref wrong s - loss eps (beta n) 1 ref star s) (alpha ^ 2 / 16) (4 * (1 + c eps) ^ 2) n
      (fun d => at_most (J r (three 0 1 0) - J r (learner d)) (printed o K eps delta alpha 4 1 2 2 n)) L0 L1 ltac:(split; nra) Mb Me).
    apply (Rlt_irrefl (1 - delta)), Rle_lt_trans with (1 := HP); apply Rle_lt_trans with (2 := Rare); apply Ra.
    intros d E; assert (Split : sum d (fun s => loss eps (beta n) 1 ref wrong s - loss eps (beta n) 1 ref star s) =
      sum d (loss eps (beta n) 1 ref wrong) - sum d (loss eps (beta n) 1 ref star)).
    { clear; induction d as [|s d IH]; cbn [sum]; [ring|rewrite IH; ring]. }
    rewrite Split; destruct (HA d) as [[E1|[E1|[]]] Best].
    + specialize (Best wrong ltac:(right; now left)); rewrite <- E1 in Best; lra.
    + exfalso; unfold at_most in E; rewrite <- E1 in E; destruct (Rle_dec _ _) as [L|]; [|discriminate].
      assert (G : J r (three 0 1 0) - J r wrong = r X / 2).
      { destruct Pw as [_ Tw]; unfold J, total in *; assert (WZ : wrong Z = 1 / 2) by reflexivity; rewrite WZ in *.
        assert (rY : r Y = r X) by reflexivity; assert (rZ : r Z = 0) by reflexivity; rewrite rY, rZ; unfold three.
        replace (wrong X) with (1 / 2 - wrong Y) by lra; field. }
      rewrite G in L; assert (rX : 1 / 2 <= r X) by (unfold r, three; lra); lra.
Qed.

Theorem remark_5_1_false_holds : remark_5_1_false.
Proof.
  intros o K eps delta beta He Hd Hbeta; destruct (keep_c eps He) as [C1 _].
  set (k := K * (exp (2 * 1) * (4 / 1) * sqrt 2)); set (z := zeta o eps).
  assert (z0 : 0 < z) by (unfold z, zeta; destruct o; lra).
  assert (kz : 0 <= Rabs k * z) by (apply Rmult_le_pos; [apply Rabs_pos|lra]).
  set (alpha := Rmin (1 / 4) (/ (16 * (Rabs k * z + 1)))).
  assert (i0 : 0 < / (16 * (Rabs k * z + 1))) by (apply Rinv_0_lt_compat; lra).
  assert (Ha : 0 < alpha <= 1 / 4) by (unfold alpha; split; [apply Rmin_glb_lt; lra|apply Rmin_l]).
  assert (kza : k * (z * alpha) <= 1 / 16).
  { assert (A := Rmin_r (1 / 4) (/ (16 * (Rabs k * z + 1)))); fold alpha in A.
    apply Rle_trans with (Rabs k * z * alpha); [rewrite Rmult_assoc; apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|apply Rle_abs]|].
    apply Rle_trans with (Rabs k * z * (/ (16 * (Rabs k * z + 1)))); [apply Rmult_le_compat_l; lra|].
    apply Rmult_le_reg_r with (16 * (Rabs k * z + 1)); [lra|]; rewrite Rmult_assoc, Rinv_l by lra; lra. }
  set (b := alpha ^ 2 / (64 * (1 + c eps) ^ 2)); assert (D4 : 4 <= (1 + c eps) ^ 2) by nra.
  assert (a2 : 0 < alpha ^ 2 <= 1 / 16) by (split; [apply pow_lt; lra|nra]).
  assert (b0 : 0 < b) by (unfold b; apply Rdiv_lt_0_compat; lra).
  assert (Q := Rmin_glb_lt b (1 / 3) 0 b0 ltac:(lra)).
  assert (LL : 0 <= ln (2 / delta)).
  { rewrite <- ln_1; left; apply ln_increasing; [lra|]; apply Rmult_lt_reg_r with delta; [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra. }
  destruct (vanishes (k * c eps) (ln (2 / delta)) (Rmin b (1 / 3) / 8) LL ltac:(lra)) as [N1 HN1].
  destruct (vanishes (k * c eps) (ln (2 / delta)) (1 / 16) LL ltac:(lra)) as [N2 HN2].
  set (rho := 1 - (alpha ^ 2 / 16) ^ 2 / (9 * (4 * (1 + c eps) ^ 2) ^ 2)).
  assert (Rho : Rabs rho < 1).
  { assert (D : 16 <= (1 + c eps) ^ 2 * (1 + c eps) ^ 2) by nra.
    assert (E : (9 * (4 * (1 + c eps) ^ 2) ^ 2) = 144 * ((1 + c eps) ^ 2 * (1 + c eps) ^ 2)) by ring.
    assert (F : 0 < (alpha ^ 2 / 16) ^ 2 <= 1) by (split; [apply pow_lt; lra|nra]).
    assert (G : 0 < (alpha ^ 2 / 16) ^ 2 / (9 * (4 * (1 + c eps) ^ 2) ^ 2) < 1).
    { rewrite E; split; [apply Rdiv_lt_0_compat; lra|].
      apply Rmult_lt_reg_r with (144 * ((1 + c eps) ^ 2 * (1 + c eps) ^ 2)); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra. }
    unfold rho; apply Rabs_def1; lra. }
  destruct (pow_lt_1_zero rho Rho (1 - delta) ltac:(lra)) as [N3 HN3].
  set (n := (N1 + N2 + N3 + 1)%nat).
  assert (Pr : forall al, printed o K eps delta al 4 1 2 2 n = k * c eps * sqrt (ln (2 / delta) / INR n) + k * (z * al)).
  { intros al; unfold printed, k, z; ring. }
  destruct (Rle_or_lt b (beta n)) as [L|L].
  - apply (large_beta o K eps delta beta n b); try assumption; [apply Hbeta|unfold n; lia|].
    rewrite Pr; specialize (HN1 n ltac:(unfold n; lia) ltac:(unfold n; lia)); lra.
  - apply (small_beta o K eps delta beta n alpha); try assumption.
    + split; [apply Hbeta|fold b; lra].
    + unfold n; lia.
    + rewrite Pr; specialize (HN2 n ltac:(unfold n; lia) ltac:(unfold n; lia)); lra.
    + fold rho; apply Rle_lt_trans with (1 := Rle_abs _); apply HN3; unfold n; lia.
Qed.

Print Assumptions remark_5_1_false_holds.
