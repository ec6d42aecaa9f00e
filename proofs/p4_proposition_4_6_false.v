(* P4 (arXiv 2505.15694), Proposition 4.6: "Under Assumption 4.5 ... Suppose with probability at least 1 - delta there exists an estimate
   theta^ that satisfies ||theta^ - theta_true||_(Sigma^ + lambda I) <= Gamma, ... theta^' = theta^/beta + theta_sft and
   lambda >= Omega(d/n ln(n/delta)), the corresponding policy pi^ with probability at least 1 - delta satisfies
       SubOpt(pi^, pi_star) <= sqrt(3)/sqrt(2) sqrt(kappa_Pi) B Gamma".

   World: one state, two responses with features phi = +u and -u, u = (1,-1)/sqrt 2, so ||phi|| = 1 and <1, u> = 0; theta* = B u and
   theta_sft = -B u lie in Theta_B; theta^' = 0, the even policy.
   printed_false:  at every B <= 3/5, for every beta > 0, the printed bound fails, Sigma_sft in the place of Sigma^ + lambda I (which
                   tends to it as n grows and lambda falls).
   printed_false_on_data: at B = 1/10, for every finite list of n pairs in which the share of pairs of two different responses is at
                   most 5 % above its mean 2 sigma(2B) sigma(-2B), and every lambda <= 1/100, with Sigma^ + lambda I itself.
   printed_false_with_probability: at B = 1/10, for every delta in (0, 1), every lambda <= 1/100 and all n from some N on, the statement
                   as printed, with its probabilities over n pairs from pi_sft, is false.
   in_world, optimal: the world satisfies Assumption 4.5, and pi* is the optimal policy (9) of the rewards used.
   corrected:      with ||theta* - theta_sft|| in the place of B and 1/2 in that of 3/2 it holds in this world for all theta*,
                   theta_sft and theta^, in the norm of Sigma_sft.
   Line by line: kappa_Pi is the largest ratio over all of (12), theta unbounded, the largest reading; a lambda fixed at 1/100 or below
       is at least C d/n ln(n/delta) for all large n, so the condition on lambda is met (N depends on lambda); a constant estimate is
       an estimate; labels play no part.  Theta_sft in Theta_B, which Assumption 4.5 does not even ask, is kept.
   What it does not say: that a universal constant above sqrt(3/2) fails (2/sqrt 3 more is enough if ||theta_sft|| <= B), so Theorem 6.3,
       which has one, is untouched by it; corrected is proved for these two responses only, in general on
       docs/explanations/corrected_proposition_4_6.md. *)

Require Import Reals Lra Psatz List FunctionalExtensionality.
From Coquelicot Require Import Coquelicot.
Import ListNotations.
Open Scope R_scope.

(* Assumption 4.5 *)
Definition vector := (R * R)%type.
Definition dot (v w : vector) : R := fst v * fst w + snd v * snd w.
Definition norm (v : vector) : R := sqrt (dot v v).
Definition add (v w : vector) : vector := (fst v + fst w, snd v + snd w).
Definition scale (k : R) (v : vector) : vector := (k * fst v, k * snd v).
Definition minus (v w : vector) : vector := add v (scale (-1) w).
Definition in_Theta (B : R) (theta : vector) := dot (1, 1) theta = 0 /\ norm theta <= B.
Definition u : vector := (/ sqrt 2, - / sqrt 2).
Definition phi (a : bool) : vector := if a then u else scale (-1) u.
Definition expect (pi : bool -> R) (f : bool -> R) : R := pi true * f true + pi false * f false.

(* (12) *)
Definition pi (theta : vector) (a : bool) : R :=
  exp (dot theta (phi a)) / (exp (dot theta (phi true)) + exp (dot theta (phi false))).

(* (7), (8): w' Sigma_{pi,pi} w, and kappa_Pi = K is the largest of their ratios over all of (12). *)
Definition Sigma (p : bool -> R) (w : vector) : R :=
  expect p (fun a => expect p (fun a' => dot w (minus (phi a) (phi a')) ^ 2)).
Definition bounds_kappa (sft : vector) (K : R) := forall theta w, Sigma (pi theta) w <= K * Sigma (pi sft) w.
Definition is_kappa (sft : vector) (K : R) := bounds_kappa sft K /\ forall K', bounds_kappa sft K' -> K <= K'.

(* (9): rewards of which pi_star is the optimal policy, up to a shift; and what pi_hat loses. *)
Definition reward (beta : R) (star sft : vector) (a : bool) : R := beta * dot (minus star sft) (phi a).
Definition theta_true (beta : R) (star sft : vector) := scale beta (minus star sft).
Definition policy_of (beta : R) (sft hat : vector) := pi (add (scale (/ beta) hat) sft).
Definition SubOpt (beta : R) (star sft hat : vector) : R :=
  expect (pi star) (reward beta star sft) - expect (policy_of beta sft hat) (reward beta star sft).

(* The printed bound, for a norm given by its square. *)
Definition printed_4_6 (norm2 : vector -> R) (B beta : R) (star sft hat : vector) :=
  forall K, is_kappa sft K ->
  SubOpt beta star sft hat <=
    sqrt 3 / sqrt 2 * sqrt K * B * sqrt (norm2 (minus hat (theta_true beta star sft))).

(* Sigma_hat + lambda I of pairs of responses. *)
Definition unequal (d : list (bool * bool)) : R :=
  fold_right (fun a s => (if Bool.eqb (fst a) (snd a) then 0 else 1) + s) 0 d.
Definition Sigma_hat (d : list (bool * bool)) (lambda : R) (w : vector) : R :=
  / INR (length d) * fold_right (fun a s => dot w (minus (phi (fst a)) (phi (snd a))) ^ 2 + s) 0 d
  + lambda * dot w w.

(* Averages over n independent pairs of responses of pi_sft, and the statement with its probabilities; labels
   play no part, as the estimate below is a constant. *)
Fixpoint average (p : bool -> R) (n : nat) (f : list (bool * bool) -> R) : R :=
  match n with
  | O => f []
  | S n' => expect p (fun a => expect p (fun a' => average p n' (fun d => f ((a, a') :: d))))
  end.
Definition chance (p : bool -> R) (n : nat) (x : list (bool * bool) -> R) (bound : R) : R :=
  average p n (fun d => if Rle_dec (x d) bound then 1 else 0).
Definition proposition_4_6 (n : nat) (lambda delta B beta : R) (star sft : vector) :=
  forall (estimate : list (bool * bool) -> vector) (Gamma K : R), is_kappa sft K ->
  1 - delta <= chance (pi sft) n (fun d => sqrt (Sigma_hat d lambda (minus (estimate d) (theta_true beta star sft)))) Gamma ->
  1 - delta <= chance (pi sft) n (fun d => SubOpt beta star sft (estimate d)) (sqrt 3 / sqrt 2 * sqrt K * B * Gamma).

(* The world. *)
Definition star (B : R) := scale B u.
Definition sft (B : R) := scale (- B) u.
Definition hat (B beta : R) := scale (beta * B) u.

Definition in_world : Prop := forall B, 0 <= B -> in_Theta B (star B) /\ in_Theta B (sft B) /\ norm u = 1 /\
  forall a, norm (phi a) = 1.

(* pi_star is the optimal policy (9) of these rewards. *)
Definition optimal : Prop := forall (beta : R) (s t : vector) (a : bool), 0 < beta ->
  pi s a = pi t a * exp (reward beta s t a / beta) /
    expect (pi t) (fun a' => exp (reward beta s t a' / beta)).

Definition printed_false : Prop := forall B beta : R, 0 < B <= 3 / 5 -> 0 < beta ->
  ~ printed_4_6 (Sigma (pi (sft B))) B beta (star B) (sft B) (hat B beta).

Definition printed_false_on_data : Prop := forall (beta lambda : R) (d : list (bool * bool)), 0 < beta -> 0 <= lambda <= 1 / 100 ->
  d <> [] ->
  unequal d / INR (length d) <= 105 / 100 * (2 * pi (sft (1/10)) true * pi (sft (1/10)) false) ->
  ~ printed_4_6 (Sigma_hat d lambda) (1/10) beta (star (1/10)) (sft (1/10)) (hat (1/10) beta).

Definition printed_false_with_probability : Prop := forall (beta lambda delta : R), 0 < beta -> 0 <= lambda <= 1 / 100 -> 0 < delta < 1 ->
  exists N : nat, forall n : nat, (N <= n)%nat ->
  ~ proposition_4_6 n lambda delta (1/10) beta (star (1/10)) (sft (1/10)).

(* In general theta_star, theta_sft and theta_hat, in the norm of Sigma_sft. *)
Definition corrected : Prop := forall (beta K : R) (star sft hat : vector), 0 < beta -> is_kappa sft K ->
  Rabs (SubOpt beta star sft hat) <=
    norm (minus star sft) * sqrt (K / 2) * sqrt (Sigma (pi sft) (minus hat (theta_true beta star sft))).

(* ---- proofs ---- *)

Lemma root2 : / sqrt 2 * / sqrt 2 = / 2.
Proof. rewrite <- Rinv_mult, sqrt_sqrt by lra; reflexivity. Qed.

Lemma dot_uu : dot u u = 1.
Proof. unfold dot, u; simpl; generalize root2; lra. Qed.

Definition tanh (x : R) := (exp x - exp (- x)) / (exp x + exp (- x)).

(* All that matters of a parameter is x = <theta, u>. *)
Lemma pi_true theta : pi theta true = exp (dot theta u) / (exp (dot theta u) + exp (- dot theta u)).
Proof.
  unfold pi; replace (dot theta (phi false)) with (- dot theta u); [reflexivity|].
  unfold dot, phi, scale; simpl; ring.
Qed.

Lemma pi_false theta : pi theta false = exp (- dot theta u) / (exp (dot theta u) + exp (- dot theta u)).
Proof.
  unfold pi; replace (dot theta (phi false)) with (- dot theta u); [reflexivity|].
  unfold dot, phi, scale; simpl; ring.
Qed.

Lemma expect_reward theta beta star sft :
  expect (pi theta) (reward beta star sft) = beta * dot (minus star sft) u * tanh (dot theta u).
Proof.
  unfold expect, reward; rewrite pi_true, pi_false.
  replace (dot (minus star sft) (phi false)) with (- dot (minus star sft) u) by (unfold dot, phi, scale; simpl; ring).
  unfold phi, tanh; generalize (exp_pos (dot theta u)) (exp_pos (- dot theta u)); intros.
  field; lra.
Qed.

Lemma Sigma_is theta w : Sigma (pi theta) w = 2 * (1 - tanh (dot theta u) ^ 2) * dot w u ^ 2.
Proof.
  unfold Sigma, expect; rewrite pi_true, pi_false.
  assert (D : forall a, dot w (minus (phi a) (phi a)) = 0) by (intros; unfold dot, minus, add, scale; simpl; ring).
  rewrite !D.
  replace (dot w (minus (phi true) (phi false))) with (2 * dot w u) by (unfold dot, minus, add, scale, phi, scale; simpl; ring).
  replace (dot w (minus (phi false) (phi true))) with (- (2 * dot w u)) by (unfold dot, minus, add, scale, phi, scale; simpl; ring).
  unfold tanh; generalize (exp_pos (dot theta u)) (exp_pos (- dot theta u)); intros; field; lra.
Qed.

Lemma tanh_range x : 0 < 1 - tanh x ^ 2 <= 1.
Proof.
  unfold tanh; generalize (exp_pos x) (exp_pos (- x)); generalize (exp x) (exp (- x)); intros a b A B.
  split.
  - replace (1 - ((a - b) / (a + b)) ^ 2) with (4 * a * b / (a + b) ^ 2) by (field; lra).
    apply Rdiv_lt_0_compat; [nra|apply pow_lt; lra].
  - generalize (pow2_ge_0 ((a - b) / (a + b))); lra.
Qed.

Lemma tanh_0 : tanh 0 = 0.
Proof. unfold tanh; rewrite Ropp_0, exp_0; field. Qed.

(* kappa_Pi is attained by the even policy. *)
Lemma kappa_is sft : is_kappa sft (/ (1 - tanh (dot sft u) ^ 2)).
Proof.
  assert (T := tanh_range (dot sft u)); split.
  - intros theta w; rewrite !Sigma_is; assert (T' := tanh_range (dot theta u)).
    replace (/ (1 - tanh (dot sft u) ^ 2) * (2 * (1 - tanh (dot sft u) ^ 2) * dot w u ^ 2))
      with (2 * 1 * dot w u ^ 2) by (field; lra).
    apply Rmult_le_compat_r; [apply pow2_ge_0|lra].
  - intros K H; specialize (H (0, 0) u); rewrite !Sigma_is, dot_uu in H.
    replace (dot (0, 0) u) with 0 in H by (unfold dot; simpl; ring); rewrite tanh_0 in H.
    apply Rmult_le_reg_r with (1 - tanh (dot sft u) ^ 2); [lra|rewrite Rinv_l by lra; lra].
Qed.

Lemma kappa_unique sft K : is_kappa sft K -> K = / (1 - tanh (dot sft u) ^ 2).
Proof. intros [A B]; destruct (kappa_is sft) as [A' B']; apply Rle_antisym; [apply B|apply B']; assumption. Qed.

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

Theorem in_world_holds : in_world.
Proof.
  intros B HB.
  assert (U : norm u = 1) by (replace u with (scale 1 u) by (unfold scale, u; simpl; f_equal; ring); rewrite norm_u; apply Rabs_R1).
  split; [split; [unfold dot, star, scale, u; simpl; ring|unfold star; rewrite norm_u, Rabs_pos_eq; lra]|].
  split; [split; [unfold dot, sft, scale, u; simpl; ring|unfold sft; rewrite norm_u, Rabs_Ropp, Rabs_pos_eq; lra]|].
  split; [exact U|intros []; [exact U|unfold phi; rewrite norm_u; unfold Rabs; destruct (Rcase_abs (-1)); lra]].
Qed.

Theorem optimal_holds : optimal.
Proof.
  intros beta s t a Hb.
  assert (R : forall a, exp (reward beta s t a / beta) = exp (dot s (phi a)) / exp (dot t (phi a))).
  { intros a'; unfold reward; replace (beta * dot (minus s t) (phi a') / beta) with (dot s (phi a') + - dot t (phi a')) by (rewrite dot_minus; field; lra).
    rewrite exp_plus, exp_Ropp; reflexivity. }
  unfold expect; rewrite !R; unfold pi.
  generalize (exp_pos (dot s (phi true))) (exp_pos (dot s (phi false))) (exp_pos (dot t (phi true))) (exp_pos (dot t (phi false))).
  intros; destruct a; field; repeat split; nra.
Qed.

Lemma loses B beta : 0 < beta -> SubOpt beta (star B) (sft B) (hat B beta) = 2 * beta * B * tanh B.
Proof.
  intros Hb; unfold SubOpt, policy_of; rewrite !expect_reward.
  replace (dot (add (scale (/ beta) (hat B beta)) (sft B)) u) with 0.
  2:{ unfold hat, sft; transitivity (/ beta * (beta * B) * dot u u - B * dot u u);
      [rewrite dot_uu; field; lra|unfold dot, add, scale; simpl; ring]. }
  rewrite tanh_0, dot_minus; unfold star, sft; rewrite !dot_scale, dot_uu, !Rmult_1_r; ring.
Qed.

Lemma tanh_odd x : tanh (- x) = - tanh x.
Proof. unfold tanh; rewrite Ropp_involutive; generalize (exp_pos x) (exp_pos (- x)); intros; field; lra. Qed.

(* The printed bound with Gamma^2 = N lies below what is lost. *)
Lemma below B beta N : 0 < B -> 0 < beta -> 0 <= N ->
  3 * N < 8 * beta ^ 2 * tanh B ^ 2 * (1 - tanh B ^ 2) -> 0 < tanh B ->
  sqrt 3 / sqrt 2 * sqrt (/ (1 - tanh (dot (sft B) u) ^ 2)) * B * sqrt N < SubOpt beta (star B) (sft B) (hat B beta).
Proof.
  intros HB Hb Hn H Ht; rewrite loses by exact Hb.
  unfold sft at 1; rewrite dot_scale, dot_uu, Rmult_1_r, tanh_odd.
  replace ((- tanh B) ^ 2) with (tanh B ^ 2) by ring.
  assert (T := tanh_range B); set (v := 1 - tanh B ^ 2) in *.
  assert (Vi : 0 < / v) by (apply Rinv_0_lt_compat; lra).
  assert (Q : sqrt 3 / sqrt 2 * sqrt (/ v) * B * sqrt N = B * sqrt (3 / 2 * / v * N)).
  { rewrite <- sqrt_div by lra; rewrite (sqrt_mult (3 / 2 * / v)) by nra; rewrite (sqrt_mult (3 / 2)) by lra; ring. }
  rewrite Q.
  assert (L : sqrt (3 / 2 * / v * N) < 2 * beta * tanh B).
  { replace (2 * beta * tanh B) with (sqrt (Rsqr (2 * beta * tanh B))) by (apply sqrt_Rsqr; nra).
    apply sqrt_lt_1; [nra|apply Rle_0_sqr|].
    unfold Rsqr; apply Rmult_lt_reg_r with (2 * v); [lra|].
    replace (3 / 2 * / v * N * (2 * v)) with (3 * N) by (field; lra); nra. }
  nra.
Qed.

Lemma fails B beta norm2 : 0 < B -> 0 < beta ->
  0 <= norm2 (minus (hat B beta) (theta_true beta (star B) (sft B))) ->
  3 * norm2 (minus (hat B beta) (theta_true beta (star B) (sft B))) <
    8 * beta ^ 2 * tanh B ^ 2 * (1 - tanh B ^ 2) ->
  0 < tanh B ->
  ~ printed_4_6 norm2 B beta (star B) (sft B) (hat B beta).
Proof.
  intros HB Hb Hn H Ht P; specialize (P _ (kappa_is (sft B))).
  assert (L := below B beta _ HB Hb Hn H Ht); lra.
Qed.

Lemma error B beta : minus (hat B beta) (theta_true beta (star B) (sft B)) = scale (- (beta * B)) u.
Proof. unfold minus, hat, theta_true, star, sft, minus, add, scale; simpl; f_equal; ring. Qed.

Lemma tanh_above B k m : 0 < k -> 1 < m -> m <= exp B ^ 2 -> k <= (m - 1) / (m + 1) -> k <= tanh B.
Proof.
  intros K M1 M H; apply Rle_trans with (1 := H); unfold tanh; rewrite exp_Ropp.
  generalize (exp_pos B) M; generalize (exp B); intros e E Me.
  replace ((e - / e) / (e + / e)) with (1 - 2 / (e ^ 2 + 1)) by (field; split; nra).
  replace ((m - 1) / (m + 1)) with (1 - 2 / (m + 1)) by (field; lra).
  assert (/ (e ^ 2 + 1) <= / (m + 1)) by (apply Rinv_le_contravar; lra); unfold Rdiv; lra.
Qed.

Lemma tanh_derivative x : is_derive tanh x (1 - tanh x ^ 2).
Proof.
  generalize (exp_pos x) (exp_pos (- x)); intros; unfold tanh; auto_derive; [lra|field; lra].
Qed.

Lemma tanh_lipschitz x y : Rabs (tanh x - tanh y) <= Rabs (x - y).
Proof.
  assert (G : forall x y, x < y -> 0 <= tanh y - tanh x <= y - x).
  { intros a b H; destruct (MVT_cor2 tanh (fun x => 1 - tanh x ^ 2) a b H) as [z [E _]].
    - intros c _; apply is_derive_Reals, tanh_derivative.
    - assert (T := tanh_range z); rewrite E; nra. }
  destruct (Rtotal_order x y) as [H|[<-|H]].
  - specialize (G x y H); rewrite (Rabs_left1 (tanh x - tanh y)), (Rabs_left1 (x - y)) by lra; lra.
  - unfold Rminus; rewrite !Rplus_opp_r, Rabs_R0; lra.
  - specialize (G y x H); rewrite !Rabs_pos_eq by lra; lra.
Qed.

Lemma tanh_below x : 0 <= x -> tanh x <= x.
Proof.
  intros H; assert (L := tanh_lipschitz x 0); rewrite tanh_0, !Rminus_0_r, (Rabs_pos_eq x H) in L.
  apply Rle_trans with (2 := L), Rle_abs.
Qed.

(* printed_4_6 with Sigma_sft fails as soon as 2 tanh B > sqrt 3 B. *)
Lemma fails_population B beta k : 0 < B -> 0 < beta -> 0 < k <= tanh B -> 3 * B ^ 2 < 4 * k ^ 2 ->
  ~ printed_4_6 (Sigma (pi (sft B))) B beta (star B) (sft B) (hat B beta).
Proof.
  intros HB Hb [K0 K] H.
  assert (S : Sigma (pi (sft B)) (scale (- (beta * B)) u) = 2 * (1 - tanh B ^ 2) * (beta * B) ^ 2).
  { rewrite Sigma_is; unfold sft; rewrite !dot_scale, dot_uu, !Rmult_1_r, tanh_odd; ring. }
  assert (T := tanh_range B).
  apply fails; rewrite ?error, ?S; try assumption; [|clear S|lra].
  - apply Rmult_le_pos; [lra|apply pow2_ge_0].
  - assert (k ^ 2 <= tanh B ^ 2) by (apply pow_incr; lra).
    assert (0 < beta ^ 2 * (1 - tanh B ^ 2)) by (apply Rmult_lt_0_compat; [apply pow_lt|]; lra).
    nra.
Qed.

(* tanh x >= x - x^3/3 *)
Lemma tanh_cubic x : 0 <= x -> x - x ^ 3 / 3 <= tanh x.
Proof.
  intros [H|<-]; [|rewrite tanh_0; simpl; lra].
  destruct (MVT_cor2 (fun t => tanh t - t + t ^ 3 / 3) (fun t => t ^ 2 - tanh t ^ 2) 0 x H) as [z [E I]].
  - intros z _; apply is_derive_Reals; unfold tanh; generalize (exp_pos z) (exp_pos (- z)); intros.
    auto_derive; [lra|field; lra].
  - rewrite tanh_0 in E; assert (T := tanh_below z ltac:(lra)).
    assert (T0 : 0 <= tanh z).
    { unfold tanh; apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat; generalize (exp_pos z) (exp_pos (- z)); lra].
      assert (exp (- z) <= exp z) by (left; apply exp_increasing; lra); lra. }
    assert (0 <= (z ^ 2 - tanh z ^ 2) * (x - 0)) by (apply Rmult_le_pos; [nra|lra]); simpl in *; lra.
Qed.

Theorem printed_false_holds : printed_false.
Proof.
  intros B beta HB Hb; assert (K := tanh_cubic B ltac:(lra)).
  assert (P : B - B ^ 3 / 3 = B * (1 - B ^ 2 / 3)) by field.
  assert (Q : 88 / 100 <= 1 - B ^ 2 / 3) by nra.
  apply fails_population with (B * (88 / 100)); [lra|exact Hb| |].
  - split; [nra|]; apply Rle_trans with (2 := K); rewrite P; apply Rmult_le_compat_l; lra.
  - assert (0 < B ^ 2) by (apply pow_lt; lra); nra.
Qed.

Lemma at_tenth : 21 / 221 <= tanh (1 / 10) /\ tanh (1 / 10) ^ 2 <= 1 / 100.
Proof.
  assert (K : 21 / 221 <= tanh (1 / 10)).
  { apply tanh_above with (121 / 100); [lra..| |lra]; assert (X := exp_ineq1_le (1 / 10)); nra. }
  split; [exact K|]; assert (Y := tanh_below (1 / 10) ltac:(lra)).
  apply Rle_trans with ((1 / 10) ^ 2); [apply pow_incr; lra|lra].
Qed.

Lemma share B : 2 * pi (sft B) true * pi (sft B) false = (1 - tanh B ^ 2) / 2.
Proof.
  rewrite pi_true, pi_false; unfold sft; rewrite dot_scale, dot_uu, Rmult_1_r, Ropp_involutive; unfold tanh.
  generalize (exp_pos B) (exp_pos (- B)); intros; field; lra.
Qed.

Lemma Sigma_hat_is d lambda k : 0 < INR (length d) ->
  Sigma_hat d lambda (scale k u) = (4 * (unequal d / INR (length d)) + lambda) * k ^ 2.
Proof.
  intros N; unfold Sigma_hat.
  assert (F : fold_right (fun a s => dot (scale k u) (minus (phi (fst a)) (phi (snd a))) ^ 2 + s) 0 d = 4 * k ^ 2 * unequal d).
  { clear N; induction d as [|[a a'] d IH]; [simpl; ring|unfold unequal in *; cbn [fold_right fst snd]; rewrite IH].
    assert (Z : dot (scale k u) (minus (phi a) (phi a')) = (if Bool.eqb a a' then 0 else if a then 2 else -2) * k * dot u u)
      by (destruct a, a'; unfold dot, scale, minus, add, phi, scale; simpl; ring).
    rewrite Z, dot_uu; destruct a, a'; cbn [Bool.eqb]; ring. }
  rewrite F; replace (dot (scale k u) (scale k u)) with (k ^ 2 * dot u u) by (unfold dot, scale; simpl; ring).
  rewrite dot_uu; field; lra.
Qed.

Lemma unequal_pos d : 0 <= unequal d.
Proof. induction d as [|[a a'] d IH]; unfold unequal in *; simpl; [lra|destruct (Bool.eqb a a'); lra]. Qed.

(* The largest Gamma^2 that is needed: 5 % more unequal pairs than their mean. *)
Lemma margin beta lambda m : 0 < beta -> 0 <= lambda <= 1 / 100 -> m <= 105 / 100 * ((1 - tanh (1 / 10) ^ 2) / 2) ->
  3 * ((4 * m + lambda) * (- (beta * (1 / 10))) ^ 2) < 8 * beta ^ 2 * tanh (1 / 10) ^ 2 * (1 - tanh (1 / 10) ^ 2).
Proof.
  intros Hb Hl H; destruct at_tenth as [K W].
  assert (K2 : (21 / 221) ^ 2 <= tanh (1 / 10) ^ 2) by (apply pow_incr; lra).
  assert (B2 : 0 < beta ^ 2) by (apply pow_lt; lra).
  replace ((- (beta * (1 / 10))) ^ 2) with (beta ^ 2 / 100) by field.
  assert (3 * (4 * m + lambda) / 100 < 8 * tanh (1 / 10) ^ 2 * (1 - tanh (1 / 10) ^ 2)).
  { revert K2 W H; generalize (tanh (1 / 10) ^ 2); intros; nra. }
  nra.
Qed.

Theorem printed_false_on_data_holds : printed_false_on_data.
Proof.
  intros beta lambda d Hb Hl Hd H; rewrite share in H.
  assert (N : 0 < INR (length d)) by (apply lt_0_INR; destruct d; [now elim Hd|simpl; apply Nat.lt_0_succ]).
  assert (U' : 0 <= unequal d / INR (length d)) by (apply Rmult_le_pos; [apply unequal_pos|left; now apply Rinv_0_lt_compat]).
  destruct at_tenth as [K _]; apply fails; try lra; rewrite error, Sigma_hat_is by exact N.
  - apply Rmult_le_pos; [lra|apply pow2_ge_0].
  - now apply margin.
Qed.

(* Averages: linear, monotone, and the variance of a count (Chebyshev). *)
Lemma average_le p n f g : (forall a, 0 <= p a) -> (forall d, length d = n -> f d <= g d) -> average p n f <= average p n g.
Proof.
  intros P; revert f g; induction n as [|n IH]; intros f g H; cbn [average]; [now apply H|].
  assert (X : forall a a', average p n (fun d => f ((a, a') :: d)) <= average p n (fun d => g ((a, a') :: d)))
    by (intros a a'; apply IH; intros d L; apply H; simpl; now rewrite L).
  unfold expect; generalize (P true) (P false) (X true true) (X true false) (X false true) (X false false); intros.
  repeat (apply Rplus_le_compat || (apply Rmult_le_compat_l; [assumption|]) || assumption).
Qed.

Lemma average_affine p n f k c : p true + p false = 1 -> average p n (fun d => c + k * f d) = c + k * average p n f.
Proof.
  intros P; revert f; induction n as [|n IH]; intros f; cbn [average]; [reflexivity|].
  unfold expect; rewrite !(IH (fun d => f (_ :: d))).
  replace (p false) with (1 - p true) by lra; ring.
Qed.

Lemma variance p n x : p true + p false = 1 -> let m := 2 * p true * p false in
  average p n (fun d => (unequal d - INR n * m + x) ^ 2) = INR n * (m * (1 - m)) + x ^ 2.
Proof.
  intros P m; revert x; induction n as [|n IH]; intros x; [cbn [average]; unfold unequal; simpl; ring|].
  cbn [average]; rewrite S_INR.
  assert (X : forall a a', average p n (fun d => (unequal ((a, a') :: d) - (INR n + 1) * m + x) ^ 2) =
    INR n * (m * (1 - m)) + ((if Bool.eqb a a' then 0 else 1) - m + x) ^ 2).
  { intros a a'; rewrite <- IH; f_equal; apply functional_extensionality; intros d.
    unfold unequal; cbn [fold_right fst snd]; f_equal; ring. }
  unfold expect; rewrite !X; cbn [Bool.eqb]; unfold m; replace (p false) with (1 - p true) by lra; ring.
Qed.

Theorem printed_false_with_probability_holds : printed_false_with_probability.
Proof.
  intros beta lambda delta Hb Hl Hd; set (B := 1 / 10) in *.
  destruct at_tenth as [K W]; fold B in K, W.
  set (p := pi (sft B)); set (m := 2 * p true * p false).
  assert (Hm : m = (1 - tanh B ^ 2) / 2) by apply share.
  assert (P1 : p true + p false = 1).
  { unfold p; rewrite pi_true, pi_false; generalize (exp_pos (dot (sft B) u)) (exp_pos (- dot (sft B) u)); intros; field; lra. }
  assert (P0 : forall a, 0 <= p a).
  { intros a; unfold p, pi; left; apply Rdiv_lt_0_compat; [apply exp_pos|].
    generalize (exp_pos (dot (sft B) (phi true))) (exp_pos (dot (sft B) (phi false))); lra. }
  assert (M : 495 / 1000 <= m <= 1 / 2) by (generalize (pow2_ge_0 (tanh B)); lra).
  destruct (nfloor_ex (420 / delta)) as [N [_ HN]]; [left; apply Rdiv_lt_0_compat; lra|].
  exists (S N); intros n Hn H.
  assert (L : 420 / delta < INR n) by (apply le_INR in Hn; rewrite S_INR in Hn; lra).
  assert (N0 : 0 < INR n) by (apply Rlt_trans with (2 := L), Rdiv_lt_0_compat; lra).
  set (G2 := (4 * (105 / 100 * m) + lambda) * (- (beta * B)) ^ 2).
  assert (G0 : 0 <= G2) by (apply Rmult_le_pos; [lra|apply pow2_ge_0]).
  specialize (H (fun _ => hat B beta) (sqrt G2) _ (kappa_is (sft B))).
  assert (Lost : sqrt 3 / sqrt 2 * sqrt (/ (1 - tanh (dot (sft B) u) ^ 2)) * B * sqrt G2 < SubOpt beta (star B) (sft B) (hat B beta)).
  { apply (below B beta G2); [unfold B; lra|exact Hb|exact G0| |lra].
    apply margin; [exact Hb|exact Hl|fold B; lra]. }
  assert (Zero : chance (pi (sft B)) n (fun _ => SubOpt beta (star B) (sft B) (hat B beta))
    (sqrt 3 / sqrt 2 * sqrt (/ (1 - tanh (dot (sft B) u) ^ 2)) * B * sqrt G2) = 0).
  { unfold chance; destruct (Rle_dec _ _) as [X|_]; [exfalso; lra|].
    transitivity (0 + 0 * average p n (fun _ => 0)); [rewrite <- average_affine by exact P1; f_equal; apply functional_extensionality; intros; ring|ring]. }
  cbv beta in H; rewrite Zero in H; cut (1 - delta <= chance (pi (sft B)) n
    (fun d => sqrt (Sigma_hat d lambda (minus (hat B beta) (theta_true beta (star B) (sft B))))) (sqrt G2)); [intros X; specialize (H X); lra|].
  clear H Zero Lost; unfold chance; fold p.
  set (k := / (INR n * (5 / 100 * m)) ^ 2).
  assert (k0 : 0 < k) by (apply Rinv_0_lt_compat, pow_lt, Rmult_lt_0_compat; lra).
  apply Rle_trans with (average p n (fun d => 1 + - k * (unequal d - INR n * m + 0) ^ 2)).
  - rewrite average_affine by exact P1; unfold m; rewrite variance by exact P1; fold m.
    replace (1 + - k * (INR n * (m * (1 - m)) + 0 ^ 2)) with (1 - 400 * (1 - m) / m / INR n) by (unfold k; field; lra).
    assert (Q : 400 * (1 - m) / m <= 420).
    { apply Rmult_le_reg_r with m; [lra|]; replace (400 * (1 - m) / m * m) with (400 * (1 - m)) by (field; lra); lra. }
    assert (R : 400 * (1 - m) / m / INR n <= delta).
    { apply Rmult_le_reg_r with (INR n); [exact N0|]; replace (400 * (1 - m) / m / INR n * INR n) with (400 * (1 - m) / m) by (field; lra).
      apply Rle_trans with (1 := Q); apply Rmult_lt_compat_r with (r := delta) in L; [|lra].
      replace (420 / delta * delta) with 420 in L by (field; lra); lra. }
    lra.
  - apply average_le; [exact P0|intros d Hd'].
    destruct (Rle_dec _ _) as [_|F].
    + assert (0 <= k * (unequal d - INR n * m + 0) ^ 2) by (apply Rmult_le_pos; [lra|apply pow2_ge_0]); lra.
    + (* if the error is above Gamma, there are 5 % more unequal pairs than their mean *)
      assert (E : INR n * (5 / 100 * m) <= unequal d - INR n * m + 0).
      { apply Rnot_lt_le; intros E; apply F; rewrite error, Sigma_hat_is by (rewrite Hd'; exact N0).
        apply sqrt_le_1_alt; unfold G2; apply Rmult_le_compat_r; [apply pow2_ge_0|].
        rewrite Hd'; assert (unequal d / INR n <= 105 / 100 * m); [|lra].
        apply Rmult_le_reg_r with (INR n); [exact N0|]; replace (unequal d / INR n * INR n) with (unequal d) by (field; lra); lra. }
      assert (S : (INR n * (5 / 100 * m)) ^ 2 <= (unequal d - INR n * m + 0) ^ 2)
        by (apply pow_incr; split; [apply Rmult_le_pos; lra|exact E]).
      assert (1 <= k * (unequal d - INR n * m + 0) ^ 2); [|lra].
      apply Rle_trans with (k * (INR n * (5 / 100 * m)) ^ 2); [right; unfold k; field; lra|apply Rmult_le_compat_l; lra].
Qed.

Theorem corrected_holds : corrected.
Proof.
  intros beta K s t h Hb HK; rewrite (kappa_unique _ _ HK); clear HK K.
  unfold SubOpt, policy_of; rewrite !expect_reward.
  set (w := minus s t); set (x := dot s u); set (y := dot (add (scale (/ beta) h) t) u).
  assert (E : dot (minus h (theta_true beta s t)) u = beta * (y - x)).
  { unfold theta_true, x, y; rewrite dot_minus, dot_scale, dot_minus.
    replace (dot (add (scale (/ beta) h) t) u) with (/ beta * dot h u + dot t u) by (unfold dot, add, scale; simpl; ring).
    field; lra. }
  rewrite Sigma_is, E; assert (T := tanh_range (dot t u)); set (v := 1 - tanh (dot t u) ^ 2) in *.
  assert (Vi : 0 < / v) by (apply Rinv_0_lt_compat; lra).
  rewrite (Rmult_assoc (norm w)), <- sqrt_mult by (try apply Rmult_le_pos; try apply pow2_ge_0; lra).
  replace (/ v / 2 * (2 * v * (beta * (y - x)) ^ 2)) with (Rsqr (beta * (y - x))) by (unfold Rsqr; field; lra).
  rewrite sqrt_Rsqr_abs, Rabs_mult, (Rabs_pos_eq beta) by lra.
  replace (beta * dot w u * tanh x - beta * dot w u * tanh y) with (dot w u * (beta * (tanh x - tanh y))) by ring.
  rewrite !Rabs_mult, (Rabs_pos_eq beta), (Rabs_minus_sym y x) by lra.
  apply Rmult_le_compat; try apply Rabs_pos.
  - apply Rmult_le_pos; [lra|apply Rabs_pos].
  - (* Cauchy and Schwarz, |u| = 1 *)
    clearbody w; unfold norm; rewrite <- sqrt_Rsqr_abs; apply sqrt_le_1_alt.
    generalize root2; unfold dot, u, Rsqr; simpl; generalize (/ sqrt 2) (fst w) (snd w); intros r a b Hr.
    replace ((a * r + b * - r) * (a * r + b * - r)) with (r * r * (a - b) ^ 2) by ring.
    rewrite Hr; generalize (pow2_ge_0 (a + b)); lra.
  - apply Rmult_le_compat_l; [lra|apply tanh_lipschitz].
Qed.

Print Assumptions in_world_holds.
Print Assumptions optimal_holds.
Print Assumptions printed_false_holds.
Print Assumptions printed_false_on_data_holds.
Print Assumptions printed_false_with_probability_holds.
Print Assumptions corrected_holds.
