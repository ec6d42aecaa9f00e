(* P4 (arXiv 2505.15694), Theorem 6.3: "Under the conditions of Proposition 4.6, the policy corresponding to the output of Algorithm 1
   achieves the following suboptimality with probability at least 1 - delta
       SubOpt_CTL(pi^, pi_star) <= C B sqrt(kappa_Pi) (sqrt(alpha)/gamma + c(eps)/gamma sqrt((d + ln(1/delta))/n) + beta B sqrt(lambda)),
       SubOpt_LTC with c(eps) sqrt(alpha) for sqrt(alpha), for beta > 0, lambda >= Omega(d/n ln(n/delta)),
   gamma = 1/(2 + exp(-beta B) + exp(beta B)) and some universal constant C > 0."

   World: alpha = 0 (CTL and LTC are one), one state, two responses with features rho u and - rho u, u = (1,-1)/sqrt 2, rho <= 1, so
   d = 2; theta* = B u, theta_sft = - b u, 0 <= b <= B <= 1/2; pairs drawn from pi_sft.  A pair shows the margin 2 rho beta (B + b).
   false_at_every_epsilon: rho = 1, theta_sft = 0, margins 2 beta B.  Whatever the constant C0 behind Omega, B <= 1/2 and delta < 1/64, for
                    every beta from some beta0 on there are n and lambda >= C0 d/n ln(n/delta) at which the printed bound holds with
                    probability below 1 - delta, for every C up to k e^(beta B), k > 0 free of beta: so for every universal C.
   false_with_x_below_1: the same at rho = 1/2, theta_sft = - B u, where ||x|| <= 1, as Section 5 takes it "for simplicity" (Remark 5.2).
   false_without_privacy: the same without privacy at rho = 1, theta_sft = - B u, margins 4 beta B.
   exceeded:        with numbers: the bound fails at every n >= 16 c^2 e^(2 margin), and lambda whose term is at most c/(gamma sqrt n), for every C
                    up to e^(margin - beta B) spread/(2400 (1 + sqrt(2 + ln(1/delta)))), spread the deviation of a pair's report.
   in_world, optimal, has_output: the worlds satisfy Assumption 4.5, pi* is the optimal policy (9) of the rewards used, and Algorithm 1
                    has an output on every dataset.
   Line by line: Assumption 4.5 bounds theta* alone; theta_sft in Theta_B, which it does not ask, is kept.  pi^ is the policy of any output
       of Algorithm 1 (any minimiser) over Theta_B', for every B' with theta_true in Theta_B', so also B' = 2 beta B = O(beta B) or
       ||theta_true||.  kappa_Pi is the largest ratio over all of (12), the largest reading.  SubOpt is (2), J without a KL term.
   What it does not say: nothing against the bound with gamma at the largest margin, which holds with a universal C
       (docs/explanations/corrected_proposition_4_6.md, on paper); nor for theta_sft = 0 with ||x|| <= 1, where margins reach beta B alone and
       gamma is right; nor without privacy at theta_sft = 0; nor as n grows at a fixed beta B beyond the range where the term in lambda is
       the smaller one. *)

Require Import Reals Lra Lia Psatz List.
From Coquelicot Require Import Coquelicot.
Import ListNotations.
Open Scope R_scope.

(* Assumption 4.5: two responses, features rho u and - rho u. *)
Definition vector := (R * R)%type.
Definition dot (v w : vector) : R := fst v * fst w + snd v * snd w.
Definition norm (v : vector) : R := sqrt (dot v v).
Definition add (v w : vector) : vector := (fst v + fst w, snd v + snd w).
Definition scale (k : R) (v : vector) : vector := (k * fst v, k * snd v).
Definition minus (v w : vector) : vector := add v (scale (-1) w).
Definition in_Theta (B : R) (theta : vector) : Prop := dot (1, 1) theta = 0 /\ norm theta <= B.
Definition u : vector := (/ sqrt 2, - / sqrt 2).
Definition phi (rho : R) (a : bool) : vector := if a then scale rho u else scale (- rho) u.
Definition over (pi : bool -> R) (f : bool -> R) : R := pi true * f true + pi false * f false.

(* (12), (7), (8): K = kappa_Pi is the largest ratio over all of (12). *)
Definition pi (rho : R) (theta : vector) (a : bool) : R :=
  exp (dot theta (phi rho a)) / (exp (dot theta (phi rho true)) + exp (dot theta (phi rho false))).
Definition Sigma (rho : R) (p : bool -> R) (w : vector) : R :=
  over p (fun a => over p (fun a' => dot w (minus (phi rho a) (phi rho a')) ^ 2)).
Definition bounds_kappa (rho : R) (sft : vector) (K : R) : Prop :=
  forall theta w, Sigma rho (pi rho theta) w <= K * Sigma rho (pi rho sft) w.
Definition is_kappa (rho : R) (sft : vector) (K : R) : Prop :=
  bounds_kappa rho sft K /\ forall K', bounds_kappa rho sft K' -> K <= K'.

(* (9), Proposition 4.6: rewards of which pi_star is the optimal policy, up to a shift; theta_true; what the policy of theta^ loses. *)
Definition star (B : R) : vector := scale B u.
Definition sft (b : R) : vector := scale (- b) u.
Definition theta_true (beta B b : R) : vector := scale beta (minus (star B) (sft b)).
Definition reward (rho beta B b : R) (a : bool) : R := beta * dot (minus (star B) (sft b)) (phi rho a).
Definition policy_of (rho beta b : R) (hat : vector) : bool -> R := pi rho (add (scale (/ beta) hat) (sft b)).
Definition SubOpt (rho beta B b : R) (hat : vector) : R :=
  over (pi rho (star B)) (reward rho beta B b) - over (policy_of rho beta b hat) (reward rho beta B b).

(* (3) and randomised response: nobody corrupts.  keep = sigma(eps), or 1 without privacy. *)
Definition sigma (x : R) : R := / (1 + exp (- x)).
Definition c (keep : R) : R := / (2 * keep - 1).
Definition sample := (bool * bool * bool)%type.    (* a1, a0, and the private label z = 1 or 0 *)
Definition x (rho : R) (a1 a0 : bool) : vector := minus (phi rho a1) (phi rho a0).
Definition label (rho beta B b keep : R) (a1 a0 z : bool) : R :=
  let y := sigma (dot (theta_true beta B b) (x rho a1 a0)) in
  let p := keep * y + (1 - keep) * (1 - y) in if z then p else 1 - p.

(* The mean of f over n samples, responses drawn from pi_sft. *)
Fixpoint mean (rho beta B b keep : R) (n : nat) (f : list sample -> R) : R := match n with
  | O => f []
  | S n' => over (pi rho (sft b)) (fun a1 => over (pi rho (sft b)) (fun a0 => over (label rho beta B b keep a1 a0) (fun z =>
      mean rho beta B b keep n' (fun D => f ((a1, a0, z) :: D)))))
  end.

(* Algorithm 1 over Theta_B'. *)
Definition value (z : bool) : R := if z then 1 else 0.
Definition ell (rho keep : R) (theta : vector) (s : sample) : R := let '(a1, a0, z) := s in
  ln (1 - sigma (dot theta (x rho a1 a0))) + (value z + keep - 1) * c keep * dot theta (x rho a1 a0).
Definition loss (rho keep : R) (D : list sample) (theta : vector) : R :=
  - (/ INR (length D) * fold_right (fun s r => ell rho keep theta s + r) 0 D).
Definition output (rho keep B' : R) (D : list sample) (theta : vector) : Prop :=
  in_Theta B' theta /\ forall theta', in_Theta B' theta' -> loss rho keep D theta <= loss rho keep D theta'.

(* The right side of Theorem 6.3 at alpha = 0, d = 2. *)
Definition gamma (beta B : R) : R := / (2 + exp (- (beta * B)) + exp (beta * B)).
Definition printed_6_3 (C K keep beta B lambda delta : R) (n : nat) : R :=
  C * B * sqrt K * (c keep / gamma beta B * sqrt ((2 + ln (1 / delta)) / INR n) + beta * B * sqrt lambda).

(* It fails at n, lambda: for every B' with theta_true in Theta_B', and every output of Algorithm 1. *)
Definition fails (C rho keep beta B b lambda delta : R) (n : nat) : Prop :=
  forall (B' K : R) (estimate : list sample -> vector), in_Theta B' (theta_true beta B b) -> is_kappa rho (sft b) K ->
  (forall D, length D = n -> output rho keep B' D (estimate D)) ->
  mean rho beta B b keep n (fun D =>
    if Rle_dec (SubOpt rho beta B b (estimate D)) (printed_6_3 C K keep beta B lambda delta n) then 1 else 0) < 1 - delta.

(* The margin of a pair, and how far from even its report is. *)
Definition margin (rho beta B b : R) : R := 2 * rho * (beta * (B + b)).
Definition spread (keep m : R) : R := let r := keep * sigma m + (1 - keep) * (1 - sigma m) in sqrt (r * (1 - r)).

Definition exceeded : Prop := forall (C rho keep beta B b lambda delta : R) (n : nat),
  1 / 2 <= rho <= 1 -> 0 <= b <= B -> B <= 1 / 2 -> 1 <= beta * B -> 1 / 2 < keep <= 1 -> 0 < delta < 1 / 64 ->
  let m := margin rho beta B b in
  16 * c keep ^ 2 * exp (2 * m) <= INR n ->
  beta * B * sqrt lambda <= c keep / gamma beta B * sqrt (1 / INR n) ->
  0 < C <= exp (m - beta * B) * spread keep m / (2400 * (1 + sqrt (2 + ln (1 / delta)))) ->
  fails C rho keep beta B b lambda delta n.

(* Whatever the universal C, and the C0 hidden in lambda >= Omega(d/n ln(n/delta)): a C free of beta is below k e^(beta B) from some
   beta on. *)
Definition no_constant (rho keep B b : R) : Prop := forall C0 delta : R, 0 < C0 -> 0 < delta < 1 / 64 ->
  exists k beta0 : R, 0 < k /\ forall beta : R, beta0 <= beta -> exists (n : nat) (lambda : R),
  (1 <= n)%nat /\ C0 * (2 / INR n * ln (INR n / delta)) <= lambda /\
  forall C : R, 0 < C <= k * exp (beta * B) -> fails C rho keep beta B b lambda delta n.

Definition false_at_every_epsilon : Prop := forall eps B : R, 0 < eps -> 0 < B <= 1 / 2 -> no_constant 1 (sigma eps) B 0.
Definition false_with_x_below_1 : Prop := forall eps B : R, 0 < eps -> 0 < B <= 1 / 2 -> no_constant (1 / 2) (sigma eps) B B.
Definition false_without_privacy : Prop := forall B : R, 0 < B <= 1 / 2 -> no_constant 1 1 B B.

Definition in_world : Prop := forall rho B b beta : R, 0 <= rho <= 1 -> 0 <= b <= B -> 0 < beta ->
  (forall a, norm (phi rho a) = rho) /\ (forall a a', norm (x rho a a') <= 2 * rho) /\
  in_Theta B (star B) /\ in_Theta B (sft b) /\ in_Theta (beta * (B + b)) (theta_true beta B b).

(* (9): pi_star is the optimal policy of these rewards. *)
Definition optimal : Prop := forall (rho beta B b : R) (a : bool), 0 < beta ->
  pi rho (star B) a = pi rho (sft b) a * exp (reward rho beta B b a / beta) /
    over (pi rho (sft b)) (fun a' => exp (reward rho beta B b a' / beta)).

Definition has_output : Prop := forall (rho keep B' : R) (D : list sample), 0 <= B' -> exists theta, output rho keep B' D theta.

(* ---- proofs ---- *)

Lemma root2 : / sqrt 2 * / sqrt 2 = / 2.
Proof. rewrite <- Rinv_mult, sqrt_sqrt by lra; reflexivity. Qed.

Lemma dot_uu : dot u u = 1.
Proof. unfold dot, u; simpl; generalize root2; lra. Qed.

Lemma dot_scale k v w : dot (scale k v) w = k * dot v w.
Proof. unfold dot, scale; simpl; ring. Qed.

Lemma dot_minus v v' w : dot (minus v v') w = dot v w - dot v' w.
Proof. unfold dot, minus, add, scale; simpl; ring. Qed.

Lemma norm_u k : norm (scale k u) = Rabs k.
Proof.
  unfold norm; replace (dot (scale k u) (scale k u)) with (Rsqr k); [apply sqrt_Rsqr_abs|].
  replace (dot (scale k u) (scale k u)) with (k * k * dot u u) by (unfold dot, scale; simpl; ring).
  rewrite dot_uu; unfold Rsqr; ring.
Qed.

Lemma in_Theta_u k B : Rabs k <= B -> in_Theta B (scale k u).
Proof. intros H; split; [unfold dot, scale, u; simpl; ring|now rewrite norm_u]. Qed.

Lemma along_u theta : dot (1, 1) theta = 0 -> theta = scale (dot theta u) u.
Proof.
  destruct theta as [a b]; unfold dot, scale, u; simpl; intros H.
  assert (R := root2); replace b with (- a) by lra; f_equal.
  - transitivity (a * (2 * (/ sqrt 2 * / sqrt 2))); [rewrite R; field|ring].
  - transitivity (- a * (2 * (/ sqrt 2 * / sqrt 2))); [rewrite R; field|ring].
Qed.

Lemma Theta_u B theta : in_Theta B theta -> Rabs (dot theta u) <= B.
Proof. intros [H N]; rewrite (along_u theta H), norm_u in N; exact N. Qed.

Lemma dot_phi rho theta a : dot theta (phi rho a) = if a then rho * dot theta u else - (rho * dot theta u).
Proof. destruct a; unfold phi, dot, scale; simpl; ring. Qed.

Lemma dot_x rho theta a1 a0 : dot theta (x rho a1 a0) =
  if Bool.eqb a1 a0 then 0 else if a1 then 2 * rho * dot theta u else - (2 * rho * dot theta u).
Proof. destruct a1, a0; unfold x, phi, minus, add, dot, scale; simpl; ring. Qed.

(* The sigmoid. *)
Lemma sigma_range y : 0 < sigma y < 1.
Proof.
  unfold sigma; generalize (exp_pos (- y)); intro H; split; [apply Rinv_0_lt_compat; lra|].
  rewrite <- Rinv_1; apply Rinv_lt_contravar; lra.
Qed.

Lemma sigma_opp y : sigma (- y) = 1 - sigma y.
Proof. unfold sigma; rewrite Ropp_involutive, exp_Ropp; generalize (exp_pos y); intro; field; lra. Qed.

Definition slope (y : R) : R := / (2 + exp (- y) + exp y).

Lemma sigma_derive y : is_derive sigma y (slope y).
Proof.
  assert (P := exp_pos (- y)); unfold sigma; auto_derive; [lra|unfold slope].
  replace (exp y) with (/ exp (- y)) by (rewrite exp_Ropp, Rinv_inv; reflexivity); field; nra.
Qed.

Lemma slope_is y : slope y = sigma y * (1 - sigma y).
Proof.
  assert (P := exp_pos (- y)); unfold sigma, slope; replace (exp y) with (/ exp (- y)) by (rewrite exp_Ropp, Rinv_inv; reflexivity); field; nra.
Qed.

Lemma slope_pos y : 0 < slope y.
Proof. unfold slope; apply Rinv_0_lt_compat; generalize (exp_pos (- y)) (exp_pos y); lra. Qed.

Lemma sigma_between a b : a <= b -> exists z, a <= z <= b /\ sigma b - sigma a = slope z * (b - a).
Proof.
  intros [H|<-]; [|exists a; split; [lra|ring]].
  destruct (MVT_cor2 sigma slope a b H) as [z [E I]]; [intros; apply is_derive_Reals, sigma_derive|].
  exists z; split; [lra|exact E].
Qed.

Lemma sigma_mono a b : a <= b -> sigma a <= sigma b.
Proof.
  intros H; destruct (sigma_between a b H) as [z [_ E]]; assert (P := slope_pos z).
  assert (0 <= slope z * (b - a)) by (apply Rmult_le_pos; lra); lra.
Qed.

Lemma slope_eighth y : -1 <= y <= 1 -> 1 / 8 <= slope y.
Proof.
  intros H; assert (E := exp_le_3); assert (X : forall t, t <= 1 -> exp t <= 3).
  { intros t Ht; apply Rle_trans with (2 := E); destruct (Rle_lt_or_eq_dec t 1 Ht) as [L| -> ]; [left; now apply exp_increasing|right; reflexivity]. }
  unfold slope; replace (1 / 8) with (/ 8) by lra; apply Rinv_le_contravar.
  - generalize (exp_pos (- y)) (exp_pos y); lra.
  - generalize (X y) (X (- y)); lra.
Qed.

Lemma slope_exp y : slope y < exp (- y).
Proof.
  rewrite exp_Ropp; unfold slope; apply Rinv_lt_contravar; [|generalize (exp_pos (- y)); lra].
  apply Rmult_lt_0_compat; generalize (exp_pos (- y)) (exp_pos y); lra.
Qed.

Lemma slope_quarter y : 0 <= y -> exp (- y) / 4 <= slope y.
Proof.
  intros H; assert (E : 1 <= exp y) by (assert (X := exp_ineq1_le y); lra); unfold slope; rewrite exp_Ropp.
  replace (/ exp y / 4) with (/ (4 * exp y)) by (field; lra); apply Rinv_le_contravar; [assert (0 < / exp y) by (apply Rinv_0_lt_compat; lra); lra|].
  assert (/ exp y <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra); lra.
Qed.

(* ln(1 - sigma) is concave: its tangent at y. *)
Lemma tangent y y' : ln (1 - sigma y') <= ln (1 - sigma y) - sigma y * (y' - y).
Proof.
  assert (L : forall t, ln (1 - sigma t) = - ln (1 + exp t)).
  { intros t; replace (1 - sigma t) with (/ (1 + exp t)).
    - apply ln_Rinv; generalize (exp_pos t); lra.
    - unfold sigma; rewrite exp_Ropp; generalize (exp_pos t); intros; field; lra. }
  rewrite !L; assert (Pos : forall t, 0 < 1 + exp t) by (intros t; generalize (exp_pos t); lra).
  assert (D : forall t, is_derive (fun t => ln (1 + exp t)) t (sigma t)).
  { intros t; assert (P := Pos t); auto_derive; [exact P|unfold sigma; rewrite exp_Ropp; generalize (exp_pos t); intros; field; lra]. }
  destruct (Rtotal_order y y') as [H|[ -> |H]]; [|lra|].
  - destruct (MVT_cor2 (fun t => ln (1 + exp t)) sigma y y' H) as [z [E I]]; [intros; apply is_derive_Reals, D|].
    assert (M := sigma_mono y z ltac:(lra)); nra.
  - destruct (MVT_cor2 (fun t => ln (1 + exp t)) sigma y' y H) as [z [E I]]; [intros; apply is_derive_Reals, D|].
    assert (M := sigma_mono z y ltac:(lra)); nra.
Qed.

(* Policies. *)
Lemma pi_true rho theta : pi rho theta true = sigma (2 * rho * dot theta u).
Proof.
  unfold pi; rewrite !dot_phi; unfold sigma; set (t := rho * dot theta u).
  replace (- (2 * rho * dot theta u)) with (- t + - t) by (unfold t; ring); rewrite exp_plus, exp_Ropp.
  generalize (exp_pos t); intros; field; split; nra.
Qed.

Lemma pi_sum rho theta : pi rho theta true + pi rho theta false = 1.
Proof.
  unfold pi; generalize (exp_pos (dot theta (phi rho true))) (exp_pos (dot theta (phi rho false))); intros; field; lra.
Qed.

Lemma Sigma_is rho theta w : Sigma rho (pi rho theta) w = 8 * slope (2 * rho * dot theta u) * (rho * dot w u) ^ 2.
Proof.
  unfold Sigma, over; replace (pi rho theta false) with (1 - pi rho theta true) by (generalize (pi_sum rho theta); lra).
  rewrite pi_true, slope_is.
  replace (dot w (minus (phi rho true) (phi rho true))) with 0 by (unfold dot, minus, add, scale; simpl; ring).
  replace (dot w (minus (phi rho false) (phi rho false))) with 0 by (unfold dot, minus, add, scale; simpl; ring).
  replace (dot w (minus (phi rho true) (phi rho false))) with (2 * (rho * dot w u)) by (unfold phi, dot, minus, add, scale; simpl; ring).
  replace (dot w (minus (phi rho false) (phi rho true))) with (- (2 * (rho * dot w u))) by (unfold phi, dot, minus, add, scale; simpl; ring).
  ring.
Qed.

Lemma slope_below y : slope y <= 1 / 4.
Proof. rewrite slope_is; generalize (pow2_ge_0 (sigma y - 1 / 2)); intros; simpl in *; lra. Qed.

Lemma kappa_2 rho b K : 0 <= rho <= 1 -> 0 <= b <= 1 / 2 -> is_kappa rho (sft b) K -> K <= 2.
Proof.
  intros Hr Hb [_ H]; apply H; intros theta w; rewrite !Sigma_is.
  assert (S := slope_below (2 * rho * dot theta u)).
  assert (Q : 1 / 8 <= slope (2 * rho * dot (sft b) u)).
  { apply slope_eighth; unfold sft; rewrite dot_scale, dot_uu; nra. }
  assert (N := pow2_ge_0 (rho * dot w u)); nra.
Qed.

Lemma star_sft B b : dot (minus (star B) (sft b)) u = B + b.
Proof. rewrite dot_minus; unfold star, sft; rewrite !dot_scale, dot_uu; ring. Qed.

Lemma true_u beta B b : dot (theta_true beta B b) u = beta * (B + b).
Proof. unfold theta_true; now rewrite dot_scale, star_sft. Qed.

Lemma SubOpt_is rho beta B b hat : beta <> 0 -> SubOpt rho beta B b hat =
  margin rho beta B b * (sigma (2 * rho * B) - sigma (2 * rho * dot hat u / beta - 2 * rho * b)).
Proof.
  intros Hb; unfold SubOpt, over, policy_of, reward; rewrite !dot_phi, star_sft.
  replace (pi rho (star B) false) with (1 - pi rho (star B) true) by (generalize (pi_sum rho (star B)); lra).
  set (t := add (scale (/ beta) hat) (sft b)).
  replace (pi rho t false) with (1 - pi rho t true) by (generalize (pi_sum rho t); lra).
  rewrite !pi_true.
  replace (2 * rho * dot (star B) u) with (2 * rho * B) by (unfold star; rewrite dot_scale, dot_uu; ring).
  replace (2 * rho * dot t u) with (2 * rho * dot hat u / beta - 2 * rho * b); [unfold margin; ring|].
  replace (dot t u) with (/ beta * dot hat u - b * dot u u) by (unfold t, sft, dot, add, scale; simpl; ring).
  rewrite dot_uu; field; exact Hb.
Qed.

Theorem in_world_holds : in_world.
Proof.
  intros rho B b beta Hr Hb Hbeta.
  assert (N : forall a, norm (phi rho a) = rho) by (intros []; unfold phi; rewrite norm_u; [|rewrite Rabs_Ropp]; apply Rabs_pos_eq; lra).
  split; [exact N|split; [|split; [|split]]].
  - intros a a'; assert (X : x rho a a' = scale (if Bool.eqb a a' then 0 else if a then 2 * rho else - (2 * rho)) u)
      by (destruct a, a'; unfold x, phi, minus, add, scale; simpl; f_equal; ring).
    rewrite X, norm_u; destruct a, a'; cbn [Bool.eqb]; rewrite ?Rabs_Ropp, ?Rabs_R0, ?Rabs_pos_eq by lra; lra.
  - apply in_Theta_u; rewrite Rabs_pos_eq; lra.
  - apply in_Theta_u; rewrite Rabs_Ropp, Rabs_pos_eq; lra.
  - replace (theta_true beta B b) with (scale (beta * (B + b)) u) by (unfold theta_true, star, sft, minus, add, scale; simpl; f_equal; ring).
    apply in_Theta_u; rewrite Rabs_pos_eq; nra.
Qed.

Theorem optimal_holds : optimal.
Proof.
  intros rho beta B b a Hb.
  assert (R : forall a, exp (reward rho beta B b a / beta) = exp (dot (star B) (phi rho a)) / exp (dot (sft b) (phi rho a))).
  { intros a'; unfold reward; replace (beta * dot (minus (star B) (sft b)) (phi rho a') / beta) with (dot (star B) (phi rho a') + - dot (sft b) (phi rho a')) by (rewrite dot_minus; field; lra).
    rewrite exp_plus, exp_Ropp; reflexivity. }
  unfold over; rewrite !R; unfold pi.
  generalize (exp_pos (dot (star B) (phi rho true))) (exp_pos (dot (star B) (phi rho false))) (exp_pos (dot (sft b) (phi rho true))) (exp_pos (dot (sft b) (phi rho false))).
  intros; destruct a; field; repeat split; nra.
Qed.

Theorem has_output_holds : has_output.
Proof.
  intros rho keep B' D HB; set (f := fun t => loss rho keep D (scale t u)).
  assert (C : forall t, continuity_pt f t).
  { intros t; unfold f, loss; apply continuity_pt_opp, continuity_pt_mult; [apply continuity_pt_const; intros ? ?; reflexivity|].
    induction D as [|[[a1 a0] z] D IH]; cbn [fold_right]; [apply continuity_pt_const; intros ? ?; reflexivity|].
    apply continuity_pt_plus; [|exact IH].
    apply continuity_pt_ext with (f := fun t => ln (1 - sigma (dot u (x rho a1 a0) * t)) + (value z + keep - 1) * c keep * (dot u (x rho a1 a0) * t)).
    { intros r; unfold ell; rewrite dot_scale, (Rmult_comm r); reflexivity. }
    set (k := dot u (x rho a1 a0)); set (q := (value z + keep - 1) * c keep).
    apply continuity_pt_filterlim, (ex_derive_continuous (fun t => ln (1 - sigma (k * t)) + q * (k * t))).
    assert (S := sigma_range (k * t)); assert (E := exp_pos (- (k * t))); unfold sigma in *; auto_derive; split; [lra|split; [lra|exact I]]. }
  destruct (continuity_ab_min f (- B') B' ltac:(lra) (fun t _ => C t)) as [t [M I]].
  exists (scale t u); split; [apply in_Theta_u, Rabs_le; lra|].
  intros theta' H; assert (A := Theta_u _ _ H); destruct H as [H _]; rewrite (along_u theta' H); apply M.
  apply Rabs_le_between; exact A.
Qed.

(* A polynomial below the indicator of t <= -1/8; its mean is at least 1/64 for mean 0, variance 1 and fourth moment at most 4. *)
Definition test (t : R) : R := 1 / 4 * (3 / 8 * (t ^ 2 - t ^ 4 / 12) - t / 2 - 1 / 8 - t ^ 2 / 16).

Lemma test_above t : test t <= 1.
Proof.
  unfold test; assert (P : t / 2 * (3 / 4 * (t - t ^ 3 / 12)) <= Rabs t / 2).
  { assert (Q : 0 <= (Rabs t - 2) ^ 2 * (Rabs t + 4) / 16) by (generalize (Rabs_pos t) (pow2_ge_0 (Rabs t - 2)); intros; nra).
    replace (t / 2 * (3 / 4 * (t - t ^ 3 / 12))) with (3 / 8 * (Rabs t ^ 2 - Rabs t ^ 2 * Rabs t ^ 2 / 12)) by (rewrite pow2_abs; field).
    generalize (Rabs_pos t) Q; generalize (Rabs t); intros; nra. }
  assert (A := Rle_abs (- t)); rewrite Rabs_Ropp in A; assert (A' := Rle_abs t).
  assert (W := pow2_ge_0 (Rabs t - 8)); assert (W2 : Rabs t ^ 2 = t ^ 2) by apply pow2_abs.
  replace (3 / 8 * (t ^ 2 - t ^ 4 / 12)) with (t / 2 * (3 / 4 * (t - t ^ 3 / 12))) by field; nra.
Qed.

Lemma test_negative t : - (1 / 8) < t -> test t <= 0.
Proof.
  intros H; unfold test; assert (P : t / 2 * (3 / 4 * (t - t ^ 3 / 12)) <= Rabs t / 2).
  { assert (Q : 0 <= (Rabs t - 2) ^ 2 * (Rabs t + 4) / 16) by (generalize (Rabs_pos t) (pow2_ge_0 (Rabs t - 2)); intros; nra).
    replace (t / 2 * (3 / 4 * (t - t ^ 3 / 12))) with (3 / 8 * (Rabs t ^ 2 - Rabs t ^ 2 * Rabs t ^ 2 / 12)) by (rewrite pow2_abs; field).
    generalize (Rabs_pos t) Q; generalize (Rabs t); intros; nra. }
  replace (3 / 8 * (t ^ 2 - t ^ 4 / 12)) with (t / 2 * (3 / 4 * (t - t ^ 3 / 12))) by field.
  assert (W := pow2_ge_0 t); unfold Rabs in P; destruct (Rcase_abs t); lra.
Qed.

Section World.
Variables (rho keep beta B b : R).
Hypothesis Hrho : 1 / 2 <= rho <= 1.
Hypothesis Hb : 0 <= b <= B.
Hypothesis HB : B <= 1 / 2.
Hypothesis Hx : 1 <= beta * B.
Hypothesis Hk : 1 / 2 < keep <= 1.
Let m := margin rho beta B b.
Let p := sigma m.
Let r := keep * p + (1 - keep) * (1 - p).
Let q := pi rho (sft b) true.
Let omega := 2 * q * (1 - q).
Let v := omega * (r * (1 - r)).
Let MEAN := mean rho beta B b keep.

Lemma B_pos : 0 < B /\ 2 <= beta.
Proof. assert (0 < B) by (destruct Hb as [H0 [H1|H1]]; [lra|subst; destruct (Rle_lt_or_eq_dec 0 B H0) as [L|L]; [exact L|rewrite <- L in Hx; lra]]); split; nra. Qed.

Lemma m_range : beta * B <= m <= 4 * (beta * B).
Proof. destruct B_pos as [P Q]; unfold m, margin; assert (0 <= beta * b <= beta * B) by nra; nra. Qed.

Lemma r_range : 0 < r < 1.
Proof. unfold r; assert (P := sigma_range m); fold p in P; nra. Qed.

Lemma c_range : 1 <= c keep.
Proof. unfold c; rewrite <- Rinv_1 at 1; apply Rinv_le_contravar; lra. Qed.

Lemma c_r : c keep * (r + keep - 1) = p.
Proof. unfold c, r; field; lra. Qed.

Lemma omega_range : 1 / 4 <= omega <= 1 / 2.
Proof.
  unfold omega; replace (2 * q * (1 - q)) with (2 * slope (2 * rho * dot (sft b) u)) by (rewrite slope_is; unfold q; rewrite pi_true; ring).
  assert (S := slope_below (2 * rho * dot (sft b) u)); assert (T : 1 / 8 <= slope (2 * rho * dot (sft b) u)); [|lra].
  apply slope_eighth; unfold sft; rewrite dot_scale, dot_uu; nra.
Qed.

Lemma v_range : r * (1 - r) / 4 <= v /\ 0 < v.
Proof.
  assert (Rr := r_range); assert (W := omega_range); unfold v; assert (X : 0 < r * (1 - r)) by (apply Rmult_lt_0_compat; lra).
  set (X' := r * (1 - r)) in *; split; nra.
Qed.

(* What a sample adds: the win of u, less its mean. *)
Definition xi (s : sample) : R := let '(a1, a0, z) := s in
  if Bool.eqb a1 a0 then 0 else value (if a1 then z else negb z) - r.
Fixpoint wins (D : list sample) : R := match D with [] => 0 | s :: D' => xi s + wins D' end.

Lemma ell_excess (theta theta' : vector) (s : sample) (y y' : R) :
  y = 2 * rho * dot theta u -> y' = 2 * rho * dot theta' u -> y <= y' -> sigma y <= p ->
  ell rho keep theta' s <= ell rho keep theta s + ((p - sigma y) + c keep * xi s) * (y' - y).
Proof.
  intros E E' Hy Hs; destruct s as [[a1 a0] z]; unfold ell, xi; rewrite !dot_x, <- E, <- E'.
  assert (Cr := c_r); assert (C1 : c keep * (2 * keep - 1) = 1) by (unfold c; field; lra).
  set (k := c keep) in *; destruct a1, a0; cbn [Bool.eqb]; [nra| | |nra].
  - assert (T := tangent y y').
    replace ((value z + keep - 1) * k * y') with ((value z + keep - 1) * k * y + (value z + keep - 1) * k * (y' - y)) by ring.
    replace ((value z + keep - 1) * k) with (p + k * (value z - r)) by (rewrite <- Cr; ring); lra.
  - assert (T := tangent (- y) (- y')); rewrite (sigma_opp y) in T.
    assert (V : value (negb z) = 1 - value z) by (destruct z; unfold value; simpl; ring); rewrite V.
    assert (K : 1 - (value z + keep - 1) * k = p + k * (1 - value z - r)) by (transitivity (k * (2 * keep - 1) - (value z + keep - 1) * k); [rewrite C1; reflexivity|rewrite <- Cr; ring]).
    rewrite !sigma_opp; replace ((p - sigma y + k * (1 - value z - r)) * (y' - y)) with ((1 - (value z + keep - 1) * k - sigma y) * (y' - y)) by (rewrite K; ring).
    rewrite !sigma_opp in T; lra.
Qed.

Lemma total_excess (theta theta' : vector) (D : list sample) (y y' : R) :
  y = 2 * rho * dot theta u -> y' = 2 * rho * dot theta' u -> y <= y' -> sigma y <= p ->
  fold_right (fun s r => ell rho keep theta' s + r) 0 D <=
  fold_right (fun s r => ell rho keep theta s + r) 0 D + (INR (length D) * (p - sigma y) + c keep * wins D) * (y' - y).
Proof.
  intros E E' Hy Hs; induction D as [|s D IH]; [simpl; lra|]; cbn [fold_right wins length]; rewrite S_INR.
  assert (X := ell_excess theta theta' s y y' E E' Hy Hs).
  replace (((INR (length D) + 1) * (p - sigma y) + c keep * (xi s + wins D)) * (y' - y)) with
    (((p - sigma y) + c keep * xi s) * (y' - y) + (INR (length D) * (p - sigma y) + c keep * wins D) * (y' - y)) by ring; lra.
Qed.

(* So every output of Algorithm 1 falls with the wins. *)
Lemma output_below (B' : R) (D : list sample) (hat : vector) (y : R) : output rho keep B' D hat -> D <> [] ->
  Rabs y <= 2 * rho * B' -> sigma y <= p -> INR (length D) * (p - sigma y) + c keep * wins D < 0 ->
  2 * rho * dot hat u <= y.
Proof.
  intros [_ O] HD HyB Hs Neg; apply Rnot_lt_le; intros L.
  assert (N : 0 < INR (length D)) by (apply lt_0_INR; destruct D; [now elim HD|simpl; lia]).
  set (t := y / (2 * rho)); assert (I : in_Theta B' (scale t u)).
  { apply in_Theta_u; unfold t, Rdiv; rewrite Rabs_mult, Rabs_inv, (Rabs_pos_eq (2 * rho)) by lra.
    apply Rmult_le_reg_r with (2 * rho); [lra|]; rewrite Rmult_assoc, Rinv_l by lra; lra. }
  specialize (O _ I).
  assert (X := total_excess (scale t u) hat D y (2 * rho * dot hat u)).
  rewrite dot_scale, dot_uu in X; specialize (X ltac:(unfold t; field; lra) eq_refl ltac:(lra) Hs).
  unfold loss in O; apply Ropp_le_cancel in O.
  apply Rmult_le_reg_l in O; [|now apply Rinv_0_lt_compat]; nra.
Qed.

(* Means over n samples. *)
Lemma label_law a1 a0 : 0 <= label rho beta B b keep a1 a0 true /\ 0 <= label rho beta B b keep a1 a0 false /\
  label rho beta B b keep a1 a0 true + label rho beta B b keep a1 a0 false = 1.
Proof. unfold label; assert (X := sigma_range (dot (theta_true beta B b) (x rho a1 a0))); repeat split; nra. Qed.

Lemma sft_law : 0 <= pi rho (sft b) true /\ 0 <= pi rho (sft b) false /\ pi rho (sft b) true + pi rho (sft b) false = 1.
Proof. assert (S := pi_sum rho (sft b)); rewrite pi_true in *; assert (T := sigma_range (2 * rho * dot (sft b) u)); repeat split; lra. Qed.

Lemma over_le (w f h : bool -> R) : 0 <= w true -> 0 <= w false -> (forall a, f a <= h a) -> over w f <= over w h.
Proof. intros P Q H; unfold over; generalize (H true) (H false); intros; nra. Qed.

Lemma over_comb (w f1 f2 f3 : bool -> R) (k1 k2 k3 k0 : R) : w true + w false = 1 ->
  over w (fun a => k1 * f1 a + k2 * f2 a + k3 * f3 a + k0) = k1 * over w f1 + k2 * over w f2 + k3 * over w f3 + k0.
Proof. intros S; unfold over; replace (w false) with (1 - w true) by lra; ring. Qed.

Lemma over_ext (w f h : bool -> R) : (forall a, f a = h a) -> over w f = over w h.
Proof. intros H; unfold over; now rewrite !H. Qed.

Lemma mean_ext n f h : (forall D, f D = h D) -> MEAN n f = MEAN n h.
Proof.
  unfold MEAN; revert f h; induction n as [|n IH]; intros f h H; cbn [mean]; [apply H|].
  apply over_ext; intros a1; apply over_ext; intros a0; apply over_ext; intros z; apply IH; intros D; apply H.
Qed.

Lemma mean_le n f h : (forall D, length D = n -> f D <= h D) -> MEAN n f <= MEAN n h.
Proof.
  unfold MEAN; revert f h; induction n as [|n IH]; intros f h H; cbn [mean]; [now apply H|].
  destruct sft_law as [P [Q _]]; apply over_le; [exact P|exact Q|intros a1]; apply over_le; [exact P|exact Q|intros a0].
  destruct (label_law a1 a0) as [P' [Q' _]]; apply over_le; [exact P'|exact Q'|intros z]; apply IH; intros D L; apply H; simpl; now rewrite L.
Qed.

Lemma mean_comb n f1 f2 f3 k1 k2 k3 k0 :
  MEAN n (fun D => k1 * f1 D + k2 * f2 D + k3 * f3 D + k0) = k1 * MEAN n f1 + k2 * MEAN n f2 + k3 * MEAN n f3 + k0.
Proof.
  unfold MEAN; revert f1 f2 f3; induction n as [|n IH]; intros f1 f2 f3; cbn [mean]; [reflexivity|].
  destruct sft_law as [_ [_ S]].
  rewrite <- over_comb by exact S; apply over_ext; intros a1; rewrite <- over_comb by exact S; apply over_ext; intros a0.
  rewrite <- over_comb by apply label_law; apply over_ext; intros z; apply (IH (fun D => f1 ((a1, a0, z) :: D)) (fun D => f2 ((a1, a0, z) :: D)) (fun D => f3 ((a1, a0, z) :: D))).
Qed.

Lemma once (h : R -> R) : over (pi rho (sft b)) (fun a1 => over (pi rho (sft b)) (fun a0 =>
    over (label rho beta B b keep a1 a0) (fun z => h (xi (a1, a0, z))))) =
  (1 - omega) * h 0 + omega * (r * h (1 - r) + (1 - r) * h (- r)).
Proof.
  assert (S := pi_sum rho (sft b)).
  assert (L : forall a1 a0, dot (theta_true beta B b) (x rho a1 a0) = if Bool.eqb a1 a0 then 0 else if a1 then m else - m).
  { intros; rewrite dot_x, true_u; unfold m, margin; destruct (Bool.eqb a1 a0), a1; ring. }
  unfold over, label; rewrite !L; cbn [Bool.eqb xi]; unfold value; cbn [negb].
  replace (pi rho (sft b) false) with (1 - q) by (unfold q; lra); change (pi rho (sft b) true) with q.
  rewrite sigma_opp; change (sigma m) with p.
  replace (0 - r) with (- r) by ring; unfold omega.
  replace (keep * (1 - p) + (1 - keep) * (1 - (1 - p))) with (1 - r) by (unfold r; ring).
  change (keep * p + (1 - keep) * (1 - p)) with r; ring.
Qed.

Let mu3 := omega * (r * (1 - r) ^ 3 + (1 - r) * (- r) ^ 3).
Let mu4 := omega * (r * (1 - r) ^ 4 + (1 - r) * (- r) ^ 4).

Lemma step n (h : R -> R) a : MEAN (S n) (fun D => h (a + wins D)) =
  (1 - omega) * MEAN n (fun D => h (a + 0 + wins D)) +
  omega * (r * MEAN n (fun D => h (a + (1 - r) + wins D)) + (1 - r) * MEAN n (fun D => h (a + - r + wins D))).
Proof.
  assert (O := once (fun t => MEAN n (fun D => h (a + t + wins D)))); cbv beta in O; rewrite <- O; clear O.
  unfold MEAN; cbn [mean]; apply over_ext; intros a1; apply over_ext; intros a0; apply over_ext; intros z.
  apply mean_ext; intros D; cbn [wins]; f_equal; ring.
Qed.

Lemma moment_1 n a : MEAN n (fun D => a + wins D) = a.
Proof.
  revert a; induction n as [|n IH]; intros a; [unfold MEAN; simpl; ring|].
  rewrite (step n (fun t => t)), !IH; ring.
Qed.

Lemma moment_2 n a : MEAN n (fun D => (a + wins D) ^ 2) = a ^ 2 + INR n * v.
Proof.
  revert a; induction n as [|n IH]; intros a; [unfold MEAN; simpl; ring|].
  rewrite (step n (fun t => t ^ 2)), !IH, S_INR; unfold v; ring.
Qed.

Lemma moment_4 n a : MEAN n (fun D => (a + wins D) ^ 4) =
  a ^ 4 + 6 * a ^ 2 * (INR n * v) + 4 * a * (INR n * mu3) + INR n * mu4 + 3 * INR n * (INR n - 1) * v ^ 2.
Proof.
  revert a; induction n as [|n IH]; intros a; [unfold MEAN; simpl; ring|].
  rewrite (step n (fun t => t ^ 4)), !IH, S_INR; unfold v, mu3, mu4; ring.
Qed.

Lemma mu4_below : mu4 <= v.
Proof.
  unfold mu4, v; assert (W := omega_range); assert (Rr := r_range); apply Rmult_le_compat_l; [lra|].
  replace (r * (1 - r) ^ 4 + (1 - r) * (- r) ^ 4) with (r * (1 - r) * (1 - 3 * (r * (1 - r)))) by ring.
  assert (0 <= r * (1 - r)) by nra; nra.
Qed.

(* The wins are an eighth of their deviation below their mean with probability at least 1/64. *)
Lemma mean_test n g : 0 < g -> g ^ 2 = INR n * v -> 1 <= INR n * v -> 1 / 64 <= MEAN n (fun D => test (wins D / g)).
Proof.
  intros Hg G N.
  rewrite (mean_ext n _ (fun D => (5 / 64 / g ^ 2) * (0 + wins D) ^ 2 + (- (1 / 128) / g ^ 4) * (0 + wins D) ^ 4 + (- (1 / 8) / g) * (0 + wins D) + - (1 / 32))).
  2:{ intros D; unfold test; field; lra. }
  rewrite mean_comb, moment_1, moment_2, moment_4.
  assert (P : 0 <= INR n) by apply pos_INR; assert (V := v_range).
  assert (F : INR n * mu4 + 3 * INR n * (INR n - 1) * v ^ 2 <= 4 * (INR n * v) ^ 2).
  { assert (M := mu4_below); assert (INR n * mu4 <= INR n * v) by (apply Rmult_le_compat_l; lra).
    assert (0 <= INR n * v ^ 2) by (apply Rmult_le_pos; [lra|apply pow2_ge_0]).
    replace (3 * INR n * (INR n - 1) * v ^ 2) with (3 * (INR n * v) ^ 2 - 3 * (INR n * v ^ 2)) by ring; nra. }
  set (w := INR n * mu4 + 3 * INR n * (INR n - 1) * v ^ 2) in *.
  replace (0 ^ 4 + 6 * 0 ^ 2 * (INR n * v) + 4 * 0 * (INR n * mu3) + INR n * mu4 + 3 * INR n * (INR n - 1) * v ^ 2) with w by (unfold w; ring).
  rewrite <- G in *; replace (0 ^ 2 + g ^ 2) with (g ^ 2) by ring.
  replace (5 / 64 / g ^ 2 * g ^ 2) with (5 / 64) by (field; lra).
  assert (Q : w / g ^ 4 <= 4).
  { apply Rmult_le_reg_r with (g ^ 4); [apply pow_lt; exact Hg|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by (apply pow_nonzero; lra); replace (4 * g ^ 4) with (4 * (g ^ 2) ^ 2) by ring; lra. }
  replace (- (1 / 128) / g ^ 4 * w) with (- (1 / 128) * (w / g ^ 4)) by (field; lra); lra.
Qed.

(* On these samples the bound is exceeded. *)
Lemma fall d : 0 <= d <= 1 -> 0 < d -> 0 <= p - sigma (m - d) < 3 * d * exp (- m).
Proof.
  intros H H0; destruct (sigma_between (m - d) m ltac:(lra)) as [z [Z E]]; unfold p; rewrite E.
  replace (m - (m - d)) with d by ring; assert (S := slope_exp z); assert (P := slope_pos z).
  assert (L : exp (- z) <= 3 * exp (- m)).
  { assert (M : forall s t, s <= t -> exp s <= exp t) by (intros s t0 [L|L]; [left; now apply exp_increasing|right; now rewrite L]).
    apply Rle_trans with (exp (d + - m)); [apply M; lra|]; rewrite exp_plus; apply Rmult_le_compat_r; [left; apply exp_pos|].
    apply Rle_trans with (2 := exp_le_3), M; lra. }
  split; [apply Rmult_le_pos; lra|nra].
Qed.

Variables (C lambda delta : R) (n : nat).
Hypothesis Hd : 0 < delta < 1 / 64.
Hypothesis Hn : 16 * c keep ^ 2 * exp (2 * m) <= INR n.
Hypothesis Hl : beta * B * sqrt lambda <= c keep / gamma beta B * sqrt (1 / INR n).
Let l := sqrt (2 + ln (1 / delta)).
Hypothesis HC : 0 < C <= exp (m - beta * B) * spread keep m / (2400 * (1 + l)).

Lemma l_pos : 0 <= l. Proof. apply sqrt_pos. Qed.

Lemma exp_2m : exp (2 * m) = exp m * exp m.
Proof. rewrite <- exp_plus; f_equal; ring. Qed.

Lemma n_large : 16 <= INR n /\ 1 <= INR n * v.
Proof.
  assert (M := m_range); assert (C1 := c_range); assert (V := v_range); assert (Rr := r_range).
  assert (E : 1 <= exp m) by (assert (X := exp_ineq1_le m); lra); rewrite exp_2m in Hn.
  assert (C2 : 1 <= c keep ^ 2) by nra; assert (E2 : exp m <= exp m * exp m) by nra.
  assert (Q : 16 * exp m <= INR n) by (apply Rle_trans with (2 := Hn); nra); split; [lra|].
  assert (S : exp (- m) / 4 <= r * (1 - r)).
  { apply Rle_trans with (1 := slope_quarter m ltac:(lra)); rewrite slope_is; unfold r; change (sigma m) with p; assert (P := sigma_range m); change (sigma m) with p in P.
    replace ((keep * p + (1 - keep) * (1 - p)) * (1 - (keep * p + (1 - keep) * (1 - p)))) with
      (p * (1 - p) + keep * (1 - keep) * (1 - 4 * (p * (1 - p)))) by ring.
    assert (0 <= 1 - 4 * (p * (1 - p))) by (generalize (pow2_ge_0 (2 * p - 1)); intros; nra).
    assert (0 <= keep * (1 - keep)) by nra; nra. }
  rewrite exp_Ropp in S; assert (I : exp m * / exp m = 1) by (apply Rinv_r; lra).
  apply Rle_trans with (16 * exp m * (/ exp m / 4 / 4)); [right; field; lra|apply Rmult_le_compat; try lra].
  assert (0 < / exp m) by (apply Rinv_0_lt_compat; lra); lra.
Qed.

Lemma exceeds (B' K : R) (D : list sample) (hat : vector) : in_Theta B' (theta_true beta B b) -> is_kappa rho (sft b) K ->
  length D = n -> output rho keep B' D hat -> wins D / sqrt (INR n * v) <= - (1 / 8) ->
  printed_6_3 C K keep beta B lambda delta n < SubOpt rho beta B b hat.
Proof.
  intros HB' HK HD HO HW; destruct n_large as [N1 N2]; destruct B_pos as [B0 B2]; assert (M := m_range).
  assert (C1 := c_range); assert (V := v_range); assert (Rr := r_range).
  set (g := sqrt (INR n * v)) in *; assert (G0 : 0 < g) by (apply sqrt_lt_R0; lra).
  assert (G2 : g * g = INR n * v) by (apply sqrt_sqrt; lra).
  set (N := INR n) in *; set (em := exp m); assert (EM : 1 <= em) by (unfold em; assert (X := exp_ineq1_le m); lra).
  set (d := c keep * (g / N) * em / 24).
  assert (V1 : v <= 1 / 8).
  { unfold v; assert (W := omega_range); assert (r * (1 - r) <= 1 / 4) by (generalize (pow2_ge_0 (2 * r - 1)); intros; nra).
    assert (0 <= r * (1 - r)) by nra; nra. }
  assert (D0 : 0 < d) by
    (unfold d; apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; [lra|apply Rdiv_lt_0_compat; lra]|lra]|lra]).
  assert (D1 : d <= 1 / 24).
  { assert (Q : c keep * g * em <= N).
    { apply Rsqr_incr_0_var; [unfold Rsqr|lra].
      replace (c keep * g * em * (c keep * g * em)) with (c keep ^ 2 * (em * em) * (g * g)) by ring; rewrite G2.
      replace (c keep ^ 2 * (em * em) * (N * v)) with (N * (c keep ^ 2 * (em * em) * v)) by ring.
      apply Rmult_le_compat_l; [lra|]; rewrite exp_2m in Hn; fold em in Hn.
      assert (0 <= c keep ^ 2 * (em * em)) by (apply Rmult_le_pos; nra); nra. }
    unfold d; replace (c keep * (g / N) * em / 24) with (c keep * g * em / N / 24) by (field; lra).
    assert (c keep * g * em / N <= 1) by (apply Rmult_le_reg_r with N; [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra); lra. }
  (* the output is below m - d *)
  assert (F := fall d ltac:(lra) D0).
  assert (Low : 2 * rho * dot hat u <= m - d).
  { apply output_below with B' D; [exact HO| | |lra|].
    - intros ->; simpl in HD; unfold N in N1; rewrite <- HD in N1; simpl in N1; lra.
    - assert (T := Theta_u _ _ HB'); rewrite true_u in T; assert (X := Rle_abs (beta * (B + b))).
      assert (Mm : m <= 2 * rho * B') by (unfold m, margin; apply Rmult_le_compat_l; lra).
      apply Rabs_le; lra.
    - rewrite HD; fold N; assert (Q : N * (3 * d * exp (- m)) = c keep * g / 8).
      { unfold d, em; rewrite exp_Ropp; field; split; [generalize (exp_pos m); lra|lra]. }
      assert (W : wins D <= - g / 8).
      { apply Rmult_le_reg_r with (/ g); [now apply Rinv_0_lt_compat|]; replace (- g / 8 * / g) with (- (1 / 8)) by (field; lra); exact HW. }
      assert (N * (p - sigma (m - d)) < N * (3 * d * exp (- m))) by (apply Rmult_lt_compat_l; lra).
      assert (c keep * wins D <= c keep * (- g / 8)) by (apply Rmult_le_compat_l; lra); lra. }
  (* what its policy loses *)
  assert (Lost : B * d / 8 <= SubOpt rho beta B b hat).
  { rewrite SubOpt_is by lra; fold m.
    assert (Db : 0 < d / beta <= 1 / 24).
    { split; [apply Rdiv_lt_0_compat; lra|]; apply Rmult_le_reg_r with beta; [lra|]; unfold Rdiv at 1; rewrite Rmult_assoc, Rinv_l by lra; lra. }
    assert (Arg : 2 * rho * dot hat u / beta - 2 * rho * b <= 2 * rho * B - d / beta).
    { replace (2 * rho * B - d / beta) with ((m - d) / beta - 2 * rho * b) by (unfold m, margin; field; lra).
      assert (2 * rho * dot hat u / beta <= (m - d) / beta) by (apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|exact Low]); lra. }
    apply sigma_mono in Arg; destruct (sigma_between (2 * rho * B - d / beta) (2 * rho * B) ltac:(lra)) as [z [Z E]].
    assert (S := slope_eighth z ltac:(split; nra)).
    replace (2 * rho * B - (2 * rho * B - d / beta)) with (d / beta) in E by ring.
    assert (X : d / beta / 8 <= sigma (2 * rho * B) - sigma (2 * rho * dot hat u / beta - 2 * rho * b)) by nra.
    apply Rle_trans with (m * (d / beta / 8)); [|apply Rmult_le_compat_l; lra].
    replace (m * (d / beta / 8)) with (2 * rho * (B + b) * d / 8) by (unfold m, margin; field; lra).
    assert (Y : B <= 2 * rho * (B + b)) by nra; assert (B * d <= 2 * rho * (B + b) * d) by (apply Rmult_le_compat_r; lra); lra. }
  apply Rlt_le_trans with (2 := Lost).
  (* the printed bound *)
  set (s := sqrt N); assert (S0 : 0 < s) by (apply sqrt_lt_R0; lra); assert (S2 : s * s = N) by (apply sqrt_sqrt; lra).
  set (w := spread keep m); assert (W2 : w * w = r * (1 - r)) by (unfold w, spread; fold p; fold r; apply sqrt_sqrt; nra).
  assert (W0 : 0 < w) by (unfold w, spread; fold p; fold r; apply sqrt_lt_R0, Rmult_lt_0_compat; lra).
  assert (Gs : s * w / 2 <= g).
  { apply Rsqr_incr_0_var; [unfold Rsqr|lra]; rewrite G2; replace (s * w / 2 * (s * w / 2)) with (s * s * (w * w) / 4) by field; rewrite S2, W2.
    replace (N * (r * (1 - r)) / 4) with (N * (r * (1 - r) / 4)) by field; apply Rmult_le_compat_l; lra. }
  assert (Dw : c keep * w * em / (48 * s) <= d).
  { unfold d; rewrite <- S2; replace (c keep * (g / (s * s)) * em / 24) with (c keep * em / (24 * (s * s)) * g) by (field; lra).
    apply Rle_trans with (c keep * em / (24 * (s * s)) * (s * w / 2)); [right; field; lra|].
    apply Rmult_le_compat_l; [|exact Gs]; left; apply Rdiv_lt_0_compat; nra. }
  assert (K2 : sqrt K <= 3 / 2).
  { assert (HK2 := kappa_2 rho b K ltac:(lra) ltac:(lra) HK).
    apply Rle_trans with (sqrt ((3 / 2) * (3 / 2))); [apply sqrt_le_1_alt; lra|right; apply sqrt_square; lra]. }
  assert (K0 := sqrt_pos K); assert (L := l_pos).
  assert (Ld : 0 < ln (1 / delta)).
  { rewrite <- ln_1; apply ln_increasing; [lra|]; apply Rmult_lt_reg_r with delta; [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra. }
  assert (Q1 : sqrt ((2 + ln (1 / delta)) / N) = l / s) by (apply sqrt_div; lra).
  assert (Q2 : sqrt (1 / N) = 1 / s) by (unfold s; rewrite sqrt_div by lra; now rewrite sqrt_1).
  set (eb := exp (beta * B)); assert (EB : 1 <= eb) by (unfold eb; assert (X := exp_ineq1_le (beta * B)); lra).
  assert (Gm : 0 < / gamma beta B <= 4 * eb).
  { unfold gamma; rewrite Rinv_inv, exp_Ropp; fold eb; assert (0 < / eb <= 1) by (split; [apply Rinv_0_lt_compat; lra|rewrite <- Rinv_1; apply Rinv_le_contravar; lra]); lra. }
  fold N in Hl; rewrite Q2 in Hl.
  set (bound := 3 / 2 * (c keep * (4 * eb) * ((1 + l) / s))).
  assert (Up : printed_6_3 C K keep beta B lambda delta n <= C * B * bound).
  { unfold printed_6_3; fold N; rewrite Q1; unfold bound.
    replace (C * B * sqrt K * (c keep / gamma beta B * (l / s) + beta * B * sqrt lambda)) with
      (C * B * (sqrt K * (c keep / gamma beta B * (l / s) + beta * B * sqrt lambda))) by ring.
    apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|].
    assert (I : 0 < / s) by now apply Rinv_0_lt_compat.
    assert (X : 0 <= c keep / gamma beta B * (l / s) + beta * B * sqrt lambda).
    { apply Rplus_le_le_0_compat; repeat apply Rmult_le_pos; try lra; apply sqrt_pos. }
    apply Rmult_le_compat; [lra|exact X|lra|].
    apply Rle_trans with (c keep / gamma beta B * ((1 + l) / s)); [unfold Rdiv in *; nra|].
    apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|]; apply Rmult_le_compat_l; lra. }
  apply Rle_lt_trans with (1 := Up).
  assert (Em : exp (m - beta * B) = em / eb) by (unfold em, eb, Rminus, Rdiv; rewrite exp_plus, exp_Ropp; reflexivity).
  fold w in HC; rewrite Em in HC; destruct HC as [C0 HC'].
  assert (Z : C * bound <= c keep * w * em / (400 * s)).
  { unfold bound; apply Rle_trans with (em / eb * w / (2400 * (1 + l)) * (3 / 2 * (c keep * (4 * eb) * ((1 + l) / s)))).
    - apply Rmult_le_compat_r; [|exact HC']; repeat apply Rmult_le_pos; try lra; left; now apply Rinv_0_lt_compat.
    - right; field; lra. }
  assert (Y : 0 < c keep * w * em / s) by (apply Rdiv_lt_0_compat; [repeat apply Rmult_lt_0_compat|]; lra).
  replace (c keep * w * em / (400 * s)) with (c keep * w * em / s / 400) in Z by (field; lra).
  replace (c keep * w * em / (48 * s)) with (c keep * w * em / s / 48) in Dw by (field; lra).
  replace (C * B * bound) with (B * (C * bound)) by ring; replace (B * d / 8) with (B * (d / 8)) by field.
  apply Rmult_lt_compat_l; lra.
Qed.

Lemma exceeded_here : fails C rho keep beta B b lambda delta n.
Proof.
  intros B' K estimate HB' HK HO; destruct n_large as [N1 N2]; set (g := sqrt (INR n * v)).
  assert (G0 : 0 < g) by (apply sqrt_lt_R0; lra).
  assert (T := mean_test n g G0 ltac:(unfold g; simpl; rewrite Rmult_1_r; apply sqrt_sqrt; lra) N2).
  apply Rle_lt_trans with (MEAN n (fun D => -1 * test (wins D / g) + 0 * test (wins D / g) + 0 * test (wins D / g) + 1)); [|rewrite mean_comb; lra].
  apply mean_le; intros D L.
  assert (A := test_above (wins D / g)).
  destruct (Rle_dec (SubOpt _ _ _ _ _) _) as [Small|_]; [|lra].
  destruct (Rle_lt_dec (wins D / g) (- (1 / 8))) as [W|W]; [|assert (Z := test_negative _ W); lra].
  exfalso; assert (X := exceeds B' K D (estimate D) HB' HK L (HO D L) W); lra.
Qed.

End World.

Theorem exceeded_holds : exceeded.
Proof.
  intros C rho keep beta B b lambda delta n H1 H2 H3 H4 H5 H6 m H7 H8 H9; now apply exceeded_here.
Qed.

Lemma natural_above y : 0 <= y -> exists n : nat, y <= INR n <= y + 1.
Proof.
  intros H; destruct (archimed y) as [U V]; assert (Z : (0 <= up y)%Z) by (apply le_IZR; lra).
  exists (Z.to_nat (up y)); rewrite INR_IZR_INZ, Z2Nat.id by exact Z; lra.
Qed.

Lemma exp_le s t : s <= t -> exp s <= exp t.
Proof. intros [L|L]; [left; now apply exp_increasing|right; now rewrite L]. Qed.

Lemma no_constant_of rho keep B b k : 1 / 2 <= rho <= 1 -> 0 <= b <= B -> 0 < B <= 1 / 2 -> 1 / 2 < keep <= 1 -> 0 < k ->
  (forall beta, 1 <= beta * B ->
    k * exp (beta * B) <= exp (margin rho beta B b - beta * B) * spread keep (margin rho beta B b)) ->
  no_constant rho keep B b.
Proof.
  intros Hrho Hb HB Hk K0 HK C0 delta HC0 Hd.
  set (l := sqrt (2 + ln (1 / delta))); assert (L : 0 <= l) by apply sqrt_pos.
  assert (C1 := c_range keep Hk); assert (C2 : 1 <= c keep ^ 2) by nra.
  set (A := ln (17 * c keep ^ 2 / delta)); assert (A0 : 0 <= A).
  { unfold A; rewrite <- ln_1; apply Rcomplements.ln_le; [lra|]; apply Rmult_le_reg_r with delta; [lra|].
    unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra. }
  set (x0 := 1 + 32 * C0 * (A + 8)).
  assert (X1 : 0 < 32 * C0 * (A + 8)) by (repeat apply Rmult_lt_0_compat; lra).
  exists (k / (2400 * (1 + l))), (x0 / B); split; [apply Rdiv_lt_0_compat; nra|]; intros beta Hbeta; set (y := beta * B).
  assert (Y : x0 <= y) by (unfold y; replace x0 with (x0 / B * B) by (field; lra); apply Rmult_le_compat_r; lra).
  assert (Y1 : 1 <= y) by (unfold x0 in Y; lra).
  assert (M := m_range rho keep beta B b Hrho Hb ltac:(lra) Y1 Hk); set (m := margin rho beta B b) in *; fold y in M.
  assert (E : 1 <= exp (2 * m)) by (assert (X := exp_ineq1_le (2 * m)); lra).
  assert (CE : 1 <= c keep ^ 2 * exp (2 * m)) by nra.
  destruct (natural_above (16 * c keep ^ 2 * exp (2 * m))) as [n [N1 N2]]; [nra|].
  assert (N0 : 16 <= INR n) by lra.
  assert (N17 : INR n <= 17 * c keep ^ 2 * exp (2 * m)) by lra.
  set (lambda := C0 * (2 / INR n * ln (INR n / delta))); exists n, lambda.
  split; [apply INR_le; simpl; lra|split; [unfold lambda; lra|intros C [HC HCk]]].
  assert (Nd : 1 <= INR n / delta) by (apply Rmult_le_reg_r with delta; [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra).
  assert (Ln : 0 <= ln (INR n / delta) <= A + 8 * y).
  { split; [rewrite <- ln_1; apply Rcomplements.ln_le; lra|].
    apply Rle_trans with (ln (17 * c keep ^ 2 / delta * exp (2 * m))).
    - apply Rcomplements.ln_le; [lra|]; replace (17 * c keep ^ 2 / delta * exp (2 * m)) with (17 * c keep ^ 2 * exp (2 * m) * / delta) by (unfold Rdiv; ring).
      apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|exact N17].
    - rewrite ln_mult, ln_exp; [fold A; lra|apply Rdiv_lt_0_compat; lra|apply exp_pos]. }
  assert (I : 0 < / INR n) by (apply Rinv_0_lt_compat; lra).
  assert (La : 0 <= lambda) by (unfold lambda; repeat apply Rmult_le_pos; try lra).
  apply (exceeded_here rho keep beta B b Hrho Hb ltac:(lra) Y1 Hk C lambda delta n Hd N1); [|split; [exact HC|]].
  - (* the term in lambda *)
    fold y; set (G := c keep / gamma beta B).
    assert (GE : exp y <= G).
    { unfold G, gamma, Rdiv; rewrite Rinv_inv; fold y; assert (P := exp_pos (- y)); assert (P' := exp_pos y); nra. }
    assert (F : y ^ 2 / 4 <= exp y).
    { replace (exp y) with (exp (y / 2) * exp (y / 2)) by (rewrite <- exp_plus; f_equal; field).
      assert (X := exp_ineq1_le (y / 2)); nra. }
    apply Rsqr_incr_0_var; [|apply Rmult_le_pos; [generalize (exp_pos y); lra|apply sqrt_pos]].
    rewrite !Rsqr_mult, !Rsqr_sqrt by lra.
    assert (Q : C0 * 2 * (A + 8 * y) <= y ^ 2 / 16).
    { apply Rle_trans with (C0 * 2 * ((A + 8) * y)); [apply Rmult_le_compat_l; [lra|nra]|].
      replace (C0 * 2 * ((A + 8) * y)) with (32 * C0 * (A + 8) * y / 16) by field; unfold x0 in Y; nra. }
    assert (Z : C0 * 2 * ln (INR n / delta) <= y ^ 2 / 16) by (apply Rle_trans with (2 := Q); apply Rmult_le_compat_l; lra).
    replace (Rsqr y * lambda) with (y ^ 2 * (C0 * 2 * ln (INR n / delta)) * / INR n) by (unfold lambda, Rsqr; field; lra).
    replace (Rsqr G * (1 / INR n)) with (G * G * / INR n) by (unfold Rsqr, Rdiv; ring).
    apply Rmult_le_compat_r; [lra|].
    apply Rle_trans with (y ^ 2 / 4 * (y ^ 2 / 4)); [|apply Rmult_le_compat; nra].
    replace (y ^ 2 / 4 * (y ^ 2 / 4)) with (y ^ 2 * (y ^ 2 / 16)) by field; apply Rmult_le_compat_l; [apply pow2_ge_0|exact Z].
  - (* the constant *)
    fold m y l; specialize (HK beta Y1); fold y m in HK; fold y in HCk; apply Rle_trans with (1 := HCk).
    replace (k / (2400 * (1 + l)) * exp y) with (k * exp y / (2400 * (1 + l))) by (field; lra).
    apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; nra|exact HK].
Qed.

Lemma keep_range eps : 0 < eps -> 1 / 2 < sigma eps < 1.
Proof.
  intros H; split; [|apply sigma_range]; unfold sigma; assert (exp (- eps) < 1) by (rewrite <- exp_0; apply exp_increasing; lra).
  generalize (exp_pos (- eps)); intro; assert (/ 2 < / (1 + exp (- eps))) by (apply Rinv_lt_contravar; lra); lra.
Qed.

(* Reports stay random. *)
Lemma spread_private eps m : 0 < eps -> sqrt (sigma eps * (1 - sigma eps)) <= spread (sigma eps) m.
Proof.
  intros H; assert (K := keep_range eps H); assert (P := sigma_range m); unfold spread; apply sqrt_le_1_alt.
  set (s := sigma eps) in *; set (p := sigma m) in *.
  replace ((s * p + (1 - s) * (1 - p)) * (1 - (s * p + (1 - s) * (1 - p)))) with
    (s * (1 - s) + (2 * s - 1) ^ 2 * (p * (1 - p))) by ring.
  assert (0 <= (2 * s - 1) ^ 2 * (p * (1 - p))) by (apply Rmult_le_pos; [apply pow2_ge_0|nra]); lra.
Qed.

Lemma private_worlds rho eps B b : 1 / 2 <= rho <= 1 -> 0 <= b <= B -> 0 < B <= 1 / 2 -> 0 < eps -> rho * (B + b) = B ->
  no_constant rho (sigma eps) B b.
Proof.
  intros Hr Hb HB He E; assert (K := keep_range eps He).
  apply no_constant_of with (sqrt (sigma eps * (1 - sigma eps))); try assumption; [lra|apply sqrt_lt_R0; nra|].
  intros beta Hy; assert (M : margin rho beta B b = 2 * (beta * B)) by (unfold margin; rewrite <- E at 2; ring); rewrite M.
  replace (2 * (beta * B) - beta * B) with (beta * B) by ring; rewrite Rmult_comm.
  apply Rmult_le_compat_l; [left; apply exp_pos|now apply spread_private].
Qed.

Theorem false_at_every_epsilon_holds : false_at_every_epsilon.
Proof. intros eps B He HB; apply private_worlds; lra. Qed.

Theorem false_with_x_below_1_holds : false_with_x_below_1.
Proof. intros eps B He HB; apply private_worlds; lra. Qed.

Theorem false_without_privacy_holds : false_without_privacy.
Proof.
  intros B HB; apply no_constant_of with (1 / 2); try lra.
  intros beta Hy; assert (M : margin 1 beta B B = 4 * (beta * B)) by (unfold margin; ring); rewrite M; set (y := beta * B) in *.
  replace (4 * y - y) with (y + 2 * y) by ring; rewrite exp_plus, Rmult_assoc, (Rmult_comm (1 / 2)); apply Rmult_le_compat_l; [left; apply exp_pos|].
  assert (P := sigma_range (4 * y)); assert (S := slope_quarter (4 * y) ltac:(lra)); rewrite slope_is in S.
  assert (E2 := exp_pos (2 * y)); assert (W : / exp (2 * y) / 2 <= spread 1 (4 * y)).
  { unfold spread; rewrite <- (sqrt_square (/ exp (2 * y) / 2)) by (apply Rmult_le_pos; [left; now apply Rinv_0_lt_compat|lra]).
    apply sqrt_le_1_alt.
    replace (/ exp (2 * y) / 2 * (/ exp (2 * y) / 2)) with (exp (- (4 * y)) / 4).
    - replace ((1 * sigma (4 * y) + (1 - 1) * (1 - sigma (4 * y))) * (1 - (1 * sigma (4 * y) + (1 - 1) * (1 - sigma (4 * y))))) with (sigma (4 * y) * (1 - sigma (4 * y))) by ring; exact S.
    - replace (- (4 * y)) with (- (2 * y) + - (2 * y)) by ring; rewrite exp_plus, exp_Ropp; field; lra. }
  apply Rle_trans with (exp (2 * y) * (/ exp (2 * y) / 2)); [right; field; lra|apply Rmult_le_compat_l; lra].
Qed.

Print Assumptions exceeded_holds.
Print Assumptions false_at_every_epsilon_holds.
Print Assumptions false_with_x_below_1_holds.
Print Assumptions false_without_privacy_holds.
Print Assumptions in_world_holds.
Print Assumptions optimal_holds.
Print Assumptions has_output_holds.
