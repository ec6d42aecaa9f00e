(* P2, Theorems 4.8 and 5.3 (alpha = 0): no universal constant is enough for every R_max, and no algorithm is.

   The paper (Theorem 4.8): for any beta > 0 and T there is a choice of gamma with which, with probability at least 1 - delta,
       J_beta(pi*_beta) - J_beta(pi^) <~ kappa_cov * c(eps) sqrt(log(|Pi| T/delta)/T),
       kappa_cov = (V_max + R_max) e^(2 R_max) log(T) sqrt(C_cov),
   where pi^ is the best, by J_beta, of the iterates pi^(1), ..., pi^(T+1) of Algorithm 2.  Theorem 5.3 says the same of
   Algorithm 4 under CTL and LTC with + alpha, + c alpha in the bracket: at alpha = 0 the same bound.

   small_rewards:  whatever the constant K behind <~, for every eps > 0 and 0 < delta < 1 there are arbitrarily small
       R_max > 0, with V_max = R_max, beta = R_max, for which some number of prompts and some T leave no rule that
       chooses the iterates (any gamma, any loss, any use of the labels) with that bound in all of 2^S worlds at once.
   Line by line: the pair of round t is a ~ pi^(t), a' ~ pi_ref, the label is Bradley-Terry through randomised response; the
       iterates are in Pi or are pi_ref (pi^(1) = pi_ref); pi^ is the best of them; Pi = {pi*_beta of the 2^S rewards}, so that
       realisability (Assumption 4.5) holds; Assumption 4.6 holds with V_max = R_max (bounded_ratios); C_cov <= 2
       (coverability; the bound is larger with 2, so that the statement says more); pi*_beta is the optimum (optimal_is_best).
   What it does not say: that the theorems fail where R_max >= 1, which Lemma C.7 asks for in the appendix and the theorems do
       not repeat; nor for a fixed R_max and growing T.  (For a single iterate two worlds would do; the best iterate needs 2^S.) *)

Require Import Reals Lra Lia List Bool.
From Coquelicot Require Import Coquelicot.
Import ListNotations.
Open Scope R_scope.

(* ---- the setting ---- *)

Definition sigma (x : R) : R := / (1 + exp (- x)).

Definition keep (eps : R) : R := exp eps / (1 + exp eps).
Definition c (eps : R) : R := (exp eps + 1) / (exp eps - 1).
Fixpoint sum {A : Type} (l : list A) (f : A -> R) : R :=
  match l with [] => 0 | a :: l' => f a + sum l' f end.
Definition average (S : nat) (f : nat -> R) : R := / INR S * sum (seq 0 S) f.

(* A world says which of two responses is the better one at each of S prompts: reward R_max, the other 0. *)
Definition world := list bool.
Fixpoint worlds (S : nat) : list world :=
  match S with O => [[]] | Datatypes.S n => map (cons true) (worlds n) ++ map (cons false) (worlds n) end.
Definition reward (R_max : R) (r : world) (s : nat) (a : bool) : R := if eqb a (nth s r true) then R_max else 0.

(* The class: pi_ref, even, and the optimal policies pi*_beta(a | s) ~ pi_ref exp(r(s, a)/beta) of the worlds. *)
Inductive policy := Reference | Optimal (r : world).
Definition chance (R_max beta : R) (pi : policy) (s : nat) (a : bool) : R := match pi with
  | Reference => 1 / 2
  | Optimal r => exp (reward R_max r s a / beta) / (exp (reward R_max r s true / beta) + exp (reward R_max r s false / beta))
  end.
Definition in_class (S : nat) (pi : policy) : Prop := match pi with Reference => True | Optimal r => In r (worlds S) end.

(* (2), one prompt and all of them *)
Definition kl (q : R) : R := q * ln (q / (1 / 2)) + (1 - q) * ln ((1 - q) / (1 / 2)).
Definition J (S : nat) (R_max beta : R) (r : world) (pi : policy) : R := average S (fun s =>
  let q := chance R_max beta pi s true in q * reward R_max r s true + (1 - q) * reward R_max r s false - beta * kl q).
Definition gap (S : nat) (R_max beta : R) (r : world) (pi : policy) : R := J S R_max beta r (Optimal r) - J S R_max beta r pi.

(* One round: prompt, response of the iterate, response of pi_ref, private label.  Newest first. *)
Definition sample := (nat * bool * bool * bool)%type.
Definition label (eps x : R) : R := keep eps * sigma x + (1 - keep eps) * (1 - sigma x).
Definition draw (S : nat) (R_max beta : R) (pi : policy) (g : nat -> bool -> bool -> R) : R := average S (fun s =>
  let q := chance R_max beta pi s true in
  q * (1 / 2 * g s true true + 1 / 2 * g s true false) + (1 - q) * (1 / 2 * g s false true + 1 / 2 * g s false false)).
Fixpoint expect (S : nat) (R_max beta : R) (law : nat -> bool -> bool -> R) (rule : list sample -> policy)
    (T : nat) (seen : list sample) (f : list sample -> R) : R := match T with
  | O => f seen
  | Datatypes.S T' => draw S R_max beta (rule seen) (fun s a a' =>
      law s a a' * expect S R_max beta law rule T' ((s, a, a', true) :: seen) f +
      (1 - law s a a') * expect S R_max beta law rule T' ((s, a, a', false) :: seen) f)
  end.
Definition labels (eps R_max : R) (r : world) (s : nat) (a a' : bool) : R :=
  label eps (reward R_max r s a - reward R_max r s a').

(* The iterates after T rounds, and whether the best of them has a gap of at most eta. *)
Fixpoint iterates (rule : list sample -> policy) (seen : list sample) : list policy :=
  rule seen :: match seen with [] => [] | _ :: earlier => iterates rule earlier end.
Definition at_most (x eta : R) : bool := if Rle_dec x eta then true else false.
Definition best_within (S : nat) (R_max beta : R) (r : world) (rule : list sample -> policy) (eta : R) (seen : list sample) : R :=
  if existsb (fun pi => at_most (gap S R_max beta r pi) eta) (iterates rule seen) then 1 else 0.
Definition printed (V_max R_max C_cov card eps delta : R) (T : nat) : R :=
  (V_max + R_max) * exp (2 * R_max) * ln (INR T) * sqrt C_cov * (c eps * sqrt (ln (card * INR T / delta) / INR T)).
Definition guarantee (K eps delta R_max beta : R) (S T : nat) : Prop :=
  exists rule : list sample -> policy, (forall seen, in_class S (rule seen)) /\ forall r, In r (worlds S) ->
  1 - delta <= expect S R_max beta (labels eps R_max r) rule T []
                 (best_within S R_max beta r rule (K * printed R_max R_max 2 (2 ^ S) eps delta T)).

Definition small_rewards : Prop := forall K eps delta R0 : R, 0 < eps -> 0 < delta < 1 -> 0 < R0 ->
  exists (R_max : R) (S T : nat), 0 < R_max < R0 /\ (1 <= S)%nat /\ (1 <= T)%nat /\ ~ guarantee K eps delta R_max R_max S T.

Definition bounded_ratios : Prop := forall (R_max : R) (pi : policy) (s : nat) (a : bool), 0 < R_max ->
  Rabs (R_max * ln (chance R_max R_max pi s a / (1 / 2))) <= R_max.

(* With mu = (uniform prompt) x pi_ref. *)
Definition coverability : Prop := forall (R_max beta : R) (S : nat) (pi : policy) (s : nat) (a : bool), (0 < S)%nat ->
  / INR S * chance R_max beta pi s a / (/ INR S * (1 / 2)) <= 2.

Definition optimal_is_best : Prop := forall (R_max : R) (S : nat) (r : world) (q : nat -> R), 0 < R_max -> (forall s, 0 <= q s <= 1) ->
  average S (fun s => q s * reward R_max r s true + (1 - q s) * reward R_max r s false - R_max * kl (q s)) <=
  J S R_max R_max r (Optimal r).

(* ---- proofs ---- *)

Ltac nn := match goal with |- 0 <= _ * _ => apply Rmult_le_pos; nn | |- 0 <= _ / _ => apply Rdiv_le_0_compat; [nn|lra]
  | |- 0 <= _ ^ _ => apply pow_le; nn | |- _ => lra end.

Section Sums.

Context {A : Type} (l : list A).

Lemma sum_le (f g : A -> R) : (forall a, In a l -> f a <= g a) -> sum l f <= sum l g.
Proof.
  induction l as [|x k IH]; simpl; intros H; [lra|].
  assert (f x <= g x) by (apply H; now left); assert (sum k f <= sum k g) by (apply IH; auto); lra.
Qed.

Lemma sum_lin (i j : R) (f g : A -> R) : sum l (fun a => i * f a + j * g a) = i * sum l f + j * sum l g.
Proof. induction l as [|x k IH]; simpl; [ring|rewrite IH; ring]. Qed.

Lemma sum_const (x : R) : sum l (fun _ => x) = INR (length l) * x.
Proof. induction l as [|y k IH]; [simpl; ring|cbn [sum length]; rewrite IH, S_INR; ring]. Qed.

Lemma sum_ext (f g : A -> R) : (forall a, In a l -> f a = g a) -> sum l f = sum l g.
Proof. intros H; apply Rle_antisym; apply sum_le; intros a I; rewrite (H a I); lra. Qed.

End Sums.

Lemma average_le S f g : (forall s, (s < S)%nat -> f s <= g s) -> average S f <= average S g.
Proof.
  intros H; unfold average; destruct S as [|n]; [simpl; lra|].
  apply Rmult_le_compat_l; [left; apply Rinv_0_lt_compat, lt_0_INR; lia|].
  apply sum_le; intros s I; apply H; apply in_seq in I; lia.
Qed.

Lemma average_lin S i j f g : average S (fun s => i * f s + j * g s) = i * average S f + j * average S g.
Proof. unfold average; rewrite sum_lin; ring. Qed.

Lemma average_const S x : (0 < S)%nat -> average S (fun _ => x) = x.
Proof.
  intros H; unfold average; rewrite sum_const, seq_length; assert (0 < INR S) by now apply lt_0_INR.
  field; lra.
Qed.

Lemma chance_range R_max beta pi s a : 0 < chance R_max beta pi s a < 1.
Proof.
  destruct pi as [|r]; unfold chance; [lra|].
  generalize (exp_pos (reward R_max r s true / beta)) (exp_pos (reward R_max r s false / beta)); intros E F.
  split; [apply Rdiv_lt_0_compat; destruct a; lra|].
  apply Rmult_lt_reg_r with (exp (reward R_max r s true / beta) + exp (reward R_max r s false / beta)); [lra|].
  unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; destruct a; lra.
Qed.

Section Draws.

Variables (S : nat) (R_max beta : R) (HS : (0 < S)%nat).

Lemma draw_le pi g h : (forall s a a', g s a a' <= h s a a') -> draw S R_max beta pi g <= draw S R_max beta pi h.
Proof.
  intros H; apply average_le; intros s _; cbv zeta; assert (Q := chance_range R_max beta pi s true).
  apply Rplus_le_compat; apply Rmult_le_compat_l; try lra; generalize (H s true true) (H s true false) (H s false true) (H s false false); lra.
Qed.

Lemma draw_ext pi g h : (forall s a a', g s a a' = h s a a') -> draw S R_max beta pi g = draw S R_max beta pi h.
Proof. intros H; apply Rle_antisym; apply draw_le; intros s a a'; rewrite (H s a a'); lra. Qed.

Lemma draw_lin pi i j g h : draw S R_max beta pi (fun s a a' => i * g s a a' + j * h s a a') =
  i * draw S R_max beta pi g + j * draw S R_max beta pi h.
Proof.
  unfold draw; rewrite <- average_lin; unfold average; f_equal; apply sum_ext; intros s _; cbv zeta; ring.
Qed.

Lemma draw_const pi x : draw S R_max beta pi (fun _ _ _ => x) = x.
Proof.
  transitivity (average S (fun _ => x)); [|now apply average_const]; unfold draw, average; f_equal; apply sum_ext; intros s _; cbv zeta; field.
Qed.

Lemma draw_shift pi g x : draw S R_max beta pi (fun s a a' => g s a a' + x) = draw S R_max beta pi g + x.
Proof.
  rewrite (draw_ext pi _ (fun s a a' => 1 * g s a a' + 1 * x)) by (intros; ring).
  rewrite (draw_lin pi 1 1 g (fun _ _ _ => x)), draw_const; ring.
Qed.

Lemma expect_range law rule f T seen : (forall s a a', 0 <= law s a a' <= 1) -> (forall h, 0 <= f h <= 1) ->
  0 <= expect S R_max beta law rule T seen f <= 1.
Proof.
  intros HL Hf; revert seen; induction T as [|T IH]; intros seen; cbn [expect]; [apply Hf|].
  split; [apply Rle_trans with (draw S R_max beta (rule seen) (fun _ _ _ => 0)); [rewrite draw_const; lra|]
    |apply Rle_trans with (draw S R_max beta (rule seen) (fun _ _ _ => 1)); [|rewrite draw_const; lra]];
    apply draw_le; intros s a a'; specialize (HL s a a');
    assert (X := IH ((s, a, a', true) :: seen)); assert (Y := IH ((s, a, a', false) :: seen)); nra.
Qed.

(* From fair coins to labels that are within h/2 of them: at most T*h/2 is gained. *)
Lemma hybrid law rule f h : (forall s a a', 0 <= law s a a' <= 1) -> (forall x, 0 <= f x <= 1) ->
  (forall s a a', Rabs (law s a a' - 1 / 2) <= h) -> forall T seen,
  expect S R_max beta law rule T seen f <= expect S R_max beta (fun _ _ _ => 1 / 2) rule T seen f + INR T * h.
Proof.
  intros HL Hf Hh T; induction T as [|T IH]; intros seen; [simpl; lra|].
  rewrite S_INR; cbn [expect]; rewrite <- draw_shift; apply draw_le; intros s a a'.
  assert (X := IH ((s, a, a', true) :: seen)); assert (Y := IH ((s, a, a', false) :: seen)); specialize (HL s a a'); specialize (Hh s a a').
  assert (P := expect_range (fun _ _ _ => 1 / 2) rule f T ((s, a, a', true) :: seen) ltac:(intros; lra) Hf).
  assert (Q := expect_range (fun _ _ _ => 1 / 2) rule f T ((s, a, a', false) :: seen) ltac:(intros; lra) Hf).
  revert X Y P Q; generalize (expect S R_max beta (fun _ _ _ => 1 / 2) rule T ((s, a, a', true) :: seen) f)
    (expect S R_max beta (fun _ _ _ => 1 / 2) rule T ((s, a, a', false) :: seen) f)
    (expect S R_max beta law rule T ((s, a, a', true) :: seen) f) (expect S R_max beta law rule T ((s, a, a', false) :: seen) f).
  intros p q p' q' X Y P Q; set (u := law s a a' - 1 / 2) in *.
  assert (V : u * (p - q) <= h) by (revert Hh; unfold Rabs; destruct (Rcase_abs u); intros; nra).
  replace (law s a a') with (1 / 2 + u) in * by (unfold u; ring).
  assert ((1 / 2 + u) * p' <= (1 / 2 + u) * (p + INR T * h)) by (apply Rmult_le_compat_l; lra).
  assert ((1 - (1 / 2 + u)) * q' <= (1 - (1 / 2 + u)) * (q + INR T * h)) by (apply Rmult_le_compat_l; lra).
  nra.
Qed.

Lemma expect_le law rule f g T seen : (forall s a a', 0 <= law s a a' <= 1) -> (forall h, f h <= g h) ->
  expect S R_max beta law rule T seen f <= expect S R_max beta law rule T seen g.
Proof.
  intros HL H; revert seen; induction T as [|T IH]; intros seen; cbn [expect]; [apply H|].
  apply draw_le; intros s a a'; specialize (HL s a a').
  assert (X := IH ((s, a, a', true) :: seen)); assert (Y := IH ((s, a, a', false) :: seen)).
  apply Rplus_le_compat; apply Rmult_le_compat_l; lra.
Qed.

Lemma expect_plus law rule f g T seen : expect S R_max beta law rule T seen (fun h => f h + g h) =
  expect S R_max beta law rule T seen f + expect S R_max beta law rule T seen g.
Proof.
  revert seen; induction T as [|T IH]; intros seen; cbn [expect]; [reflexivity|].
  rewrite <- (Rmult_1_l (draw _ _ _ _ (fun s a a' => law s a a' * expect _ _ _ _ _ _ _ f + _))).
  rewrite <- (Rmult_1_l (draw _ _ _ _ (fun s a a' => law s a a' * expect _ _ _ _ _ _ _ g + _))), <- draw_lin.
  apply draw_ext; intros s a a'; rewrite !IH; ring.
Qed.

Lemma expect_bounded law rule f M : (forall s a a', 0 <= law s a a' <= 1) -> forall T seen,
  (forall h, length h = (T + length seen)%nat -> f h <= M) -> expect S R_max beta law rule T seen f <= M.
Proof.
  intros HL T; induction T as [|T IH]; intros seen H; cbn [expect]; [now apply H|].
  rewrite <- (draw_const (rule seen) M); apply draw_le; intros s a a'; specialize (HL s a a').
  assert (X := IH ((s, a, a', true) :: seen) ltac:(intros h E; apply H; rewrite E; simpl; lia)).
  assert (Y := IH ((s, a, a', false) :: seen) ltac:(intros h E; apply H; rewrite E; simpl; lia)); nra.
Qed.

Lemma sum_expect {B : Type} (l : list B) law rule (f : B -> list sample -> R) T seen :
  sum l (fun r => expect S R_max beta law rule T seen (f r)) = expect S R_max beta law rule T seen (fun h => sum l (fun r => f r h)).
Proof.
  induction l as [|x k IH]; cbn [sum].
  - symmetry; clear -HS; revert seen; induction T as [|T IH]; intros seen; cbn [expect]; [reflexivity|].
    transitivity (draw S R_max beta (rule seen) (fun _ _ _ => 0)); [|apply draw_const]; apply draw_ext; intros; rewrite !IH; ring.
  - rewrite IH; symmetry; apply (expect_plus law rule (f x) (fun h => sum k (fun r => f r h))).
Qed.

End Draws.

(* 2^S worlds, at most T + 1 of which are among the iterates. *)
Lemma worlds_length S r : In r (worlds S) -> length r = S.
Proof.
  revert r; induction S as [|n IH]; simpl; intros r H; [destruct H as [<-|[]]; reflexivity|].
  apply in_app_or in H; destruct H as [H|H]; apply in_map_iff in H; destruct H as [q [<- I]]; simpl; now rewrite (IH q I).
Qed.

Lemma worlds_count S : INR (length (worlds S)) = 2 ^ S.
Proof. induction S as [|n IH]; [simpl; lra|cbn [worlds pow]; rewrite app_length, plus_INR, !map_length; unfold world in *; rewrite IH; ring]. Qed.

Lemma worlds_distinct S : NoDup (worlds S).
Proof.
  assert (inj : forall b l, NoDup l -> NoDup (map (cons b : world -> world) l)).
  { intros b l N; induction N as [|x l Nx N IH]; simpl; constructor; [|exact IH].
    intros I; apply in_map_iff in I; destruct I as [y [E I]]; injection E as ->; contradiction. }
  assert (app : forall l k : list world, NoDup l -> NoDup k -> (forall x, In x l -> ~ In x k) -> NoDup (l ++ k)).
  { induction l as [|x l IH]; simpl; intros k Nl Nk D; [exact Nk|]; inversion Nl as [|? ? Nx Nl']; subst; constructor.
    - intros I; apply in_app_or in I; destruct I as [I|I]; [contradiction|now apply (D x (or_introl eq_refl))].
    - apply IH; auto. }
  induction S as [|n IH]; simpl; [constructor; [intros []|constructor]|].
  apply app; [now apply inj|now apply inj|].
  intros x I I'; apply in_map_iff in I; apply in_map_iff in I'; destruct I as [p [<- _]], I' as [q [E _]]; discriminate.
Qed.

Definition same (r : world) (pi : policy) : bool := match pi with
  | Reference => false | Optimal v => if list_eq_dec Bool.bool_dec r v then true else false end.

Definition hit (rule : list sample -> policy) (r : world) (seen : list sample) : R :=
  if existsb (same r) (iterates rule seen) then 1 else 0.

Lemma one_world l pi : NoDup l -> sum l (fun r => if same r pi then 1 else 0) <= 1.
Proof.
  destruct pi as [|v]; cbn [same]; intros N; [rewrite sum_const; lra|].
  induction N as [|x l Nx N IH]; cbn [sum]; [lra|].
  destruct (list_eq_dec Bool.bool_dec x v) as [->|]; [|lra].
  replace (sum l _) with (sum l (fun _ => 0)); [rewrite sum_const; lra|].
  apply sum_ext; intros r I; destruct (list_eq_dec Bool.bool_dec r v) as [->|]; [contradiction|reflexivity].
Qed.

Lemma few l L : NoDup l -> sum l (fun r => if existsb (same r) L then 1 else 0) <= INR (length L).
Proof.
  intros N; induction L as [|pi L IH]; [cbn [existsb length]; rewrite sum_const; simpl; lra|].
  cbn [existsb length]; rewrite S_INR; assert (X := one_world l pi N).
  apply Rle_trans with (sum l (fun r => 1 * (if same r pi then 1 else 0) + 1 * (if existsb (same r) L then 1 else 0))).
  - apply sum_le; intros r _; destruct (same r pi), (existsb (same r) L); simpl; lra.
  - rewrite sum_lin; lra.
Qed.

Lemma iterates_length rule seen : length (iterates rule seen) = Datatypes.S (length seen).
Proof. induction seen as [|x k IH]; simpl; [reflexivity|now rewrite IH]. Qed.

Lemma iterates_in rule S seen : (forall h, in_class S (rule h)) -> forall pi, In pi (iterates rule seen) -> in_class S pi.
Proof.
  intros H; induction seen as [|x k IH]; simpl; intros pi [<-|I]; try apply H; [destruct I|now apply IH].
Qed.

Lemma pigeon {A : Type} (l : list A) (f : A -> R) M : l <> [] -> sum l f <= M -> exists a, In a l /\ INR (length l) * f a <= M.
Proof.
  intros Hl H; destruct (Classical_Prop.classic (exists a, In a l /\ INR (length l) * f a <= M)) as [E|N]; [exact E|exfalso].
  assert (P : 0 < INR (length l)) by (apply lt_0_INR; destruct l; [now elim Hl|simpl; lia]).
  assert (G : forall k, (forall a, In a k -> In a l) -> k <> [] -> INR (length k) * (M / INR (length l)) < sum k f).
  { induction k as [|x k IH]; intros I Nk; [now elim Nk|].
    assert (X : M / INR (length l) < f x).
    { apply Rnot_le_lt; intros Y; apply N; exists x; split; [apply I; now left|].
      apply Rle_trans with (INR (length l) * (M / INR (length l))); [apply Rmult_le_compat_l; lra|right; field; lra]. }
    cbn [length sum]; rewrite S_INR; destruct k as [|y k']; [simpl; lra|].
    assert (Z := IH (fun a Ia => I a (or_intror Ia)) ltac:(discriminate)); lra. }
  assert (Z := G l (fun a I => I) Hl); replace (INR (length l) * (M / INR (length l))) with M in Z by (field; lra); lra.
Qed.

(* What a wrong iterate loses, at beta = R_max. *)
Definition q1 : R := exp 1 / (exp 1 + 1).

Lemma q1_range : 1 / 2 < q1 < 1.
Proof.
  assert (E := exp_ineq1 1 ltac:(lra)); unfold q1; split; apply Rmult_lt_reg_r with (exp 1 + 1); try lra;
    unfold Rdiv; [|rewrite Rmult_1_l]; rewrite ?Rmult_assoc, ?Rinv_l by lra; lra.
Qed.

Lemma kl_flip q : kl (1 - q) = kl q.
Proof. unfold kl; replace (1 - (1 - q)) with q by ring; ring. Qed.

Lemma chance_is R_max r s : 0 < R_max -> chance R_max R_max (Optimal r) s true = if nth s r true then q1 else 1 - q1.
Proof.
  intros H; unfold chance, reward, q1; assert (E := exp_pos 1).
  assert (X : R_max / R_max = 1) by (field; lra); assert (Y : 0 / R_max = 0) by (field; lra).
  destruct (nth s r true); cbn [eqb]; rewrite X, Y, exp_0; field; lra.
Qed.

Lemma kl_q1 : kl q1 = q1 - ln ((exp 1 + 1) / 2).
Proof.
  assert (E := exp_pos 1); unfold kl; replace (1 - q1) with (1 / (exp 1 + 1)) by (unfold q1; field; lra).
  replace (q1 / (1 / 2)) with (exp 1 / ((exp 1 + 1) / 2)) by (unfold q1; field; lra).
  replace (1 / (exp 1 + 1) / (1 / 2)) with (1 / ((exp 1 + 1) / 2)) by (field; lra).
  rewrite !ln_div, ln_exp, ln_1 by lra; unfold q1; field; lra.
Qed.

Definition c0 : R := Rmin (2 * q1 - 1) (ln ((exp 1 + 1) / 2) - 1 / 2).

Lemma c0_pos : 0 < c0.
Proof.
  unfold c0; apply Rmin_glb_lt; [generalize q1_range; lra|].
  assert (H : ln (exp (1 / 2)) < ln ((exp 1 + 1) / 2)); [|rewrite ln_exp in H; lra].
  apply ln_increasing; [apply exp_pos|]; assert (F : exp 1 = exp (1 / 2) * exp (1 / 2)) by (rewrite <- exp_plus; f_equal; field).
  assert (G := exp_ineq1 (1 / 2) ltac:(lra)); rewrite F; nra.
Qed.

Lemma differ r v : length r = length v -> r <> v -> exists s, (s < length r)%nat /\ nth s r true <> nth s v true.
Proof.
  revert v; induction r as [|a r IH]; intros [|b v] E N; simpl in E; try discriminate; [now elim N|].
  destruct (Bool.bool_dec a b) as [->|D]; [|exists O; split; [simpl; lia|exact D]].
  destruct (IH v ltac:(lia) ltac:(congruence)) as [s [I D]]; exists (Datatypes.S s); split; [simpl; lia|exact D].
Qed.

Lemma sum_member (l : list nat) (f : nat -> R) x s : (forall a, In a l -> 0 <= f a) -> In s l -> x <= f s -> x <= sum l f.
Proof.
  induction l as [|a l IH]; intros P I H; [destruct I|]; cbn [sum].
  assert (0 <= f a) by (apply P; now left).
  assert (0 <= sum l f) by (apply Rle_trans with (sum l (fun _ => 0)); [rewrite sum_const; lra|apply sum_le; intros; apply P; now right]).
  destruct I as [->|I]; [lra|]; assert (x <= sum l f) by (apply IH; auto; intros; apply P; now right); lra.
Qed.

Lemma wrong S R_max r pi : (0 < S)%nat -> 0 < R_max -> In r (worlds S) -> in_class S pi -> same r pi = false ->
  R_max * c0 / INR S <= gap S R_max R_max r pi.
Proof.
  intros HS HR Hr Hp Hs; assert (Q := q1_range); assert (C := c0_pos).
  assert (N : 0 < INR S) by now apply lt_0_INR.
  assert (Eq : gap S R_max R_max r pi = average S (fun s => let q := chance R_max R_max pi s true in
    R_max * (q1 - (if nth s r true then q else 1 - q)) + R_max * (kl q - kl q1))).
  { unfold gap, J; match goal with |- average _ ?f - average _ ?g = _ => transitivity (1 * average S f + (-1) * average S g); [ring|] end.
    rewrite <- average_lin; unfold average; f_equal; apply sum_ext; intros s _; cbv zeta.
    rewrite chance_is by exact HR; unfold reward; destruct (nth s r true); cbn [eqb]; rewrite ?kl_flip; ring. }
  rewrite Eq; destruct pi as [|v].
  - apply Rle_trans with (average S (fun _ => R_max * c0 / INR S)); [rewrite average_const by exact HS; lra|].
    apply average_le; intros s _; cbv zeta; unfold chance.
    assert (K : kl (1 / 2) = 0) by (unfold kl; replace (1 / 2 / (1 / 2)) with 1 by field; replace ((1 - 1 / 2) / (1 / 2)) with 1 by field; rewrite ln_1; ring).
    replace (if nth s r true then 1 / 2 else 1 - 1 / 2) with (1 / 2) by (destruct (nth s r true); lra).
    rewrite K, kl_q1; assert (M : c0 <= ln ((exp 1 + 1) / 2) - 1 / 2) by apply Rmin_r.
    apply Rle_trans with (R_max * c0); [|replace (R_max * (q1 - 1 / 2) + R_max * (0 - (q1 - ln ((exp 1 + 1) / 2)))) with (R_max * (ln ((exp 1 + 1) / 2) - 1 / 2)) by ring; apply Rmult_le_compat_l; lra].
    assert (1 <= INR S) by (apply (le_INR 1); lia); assert (0 < R_max * c0) by (apply Rmult_lt_0_compat; lra).
    apply Rmult_le_reg_r with (INR S); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; nra.
  - cbn [same] in Hs; destruct (list_eq_dec Bool.bool_dec r v) as [|D]; [discriminate|].
    assert (Lr := worlds_length S r Hr); assert (Lv := worlds_length S v Hp).
    destruct (differ r v ltac:(congruence) D) as [s [I Ds]].
    unfold average; replace (R_max * c0 / INR S) with (/ INR S * (R_max * c0)) by (field; lra).
    apply Rmult_le_compat_l; [left; now apply Rinv_0_lt_compat|].
    assert (T : forall x, R_max * (q1 - (if nth x r true then chance R_max R_max (Optimal v) x true else 1 - chance R_max R_max (Optimal v) x true)) +
      R_max * (kl (chance R_max R_max (Optimal v) x true) - kl q1) = if Bool.eqb (nth x r true) (nth x v true) then 0 else R_max * (2 * q1 - 1)).
    { intros x; rewrite chance_is by exact HR; destruct (nth x r true), (nth x v true); cbn [eqb]; rewrite ?kl_flip; ring. }
    apply (sum_member _ _ _ s).
    + intros x _; cbv zeta; rewrite T; destruct (Bool.eqb _ _); [lra|apply Rmult_le_pos; lra].
    + apply in_seq; lia.
    + cbv zeta; rewrite T; destruct (nth s r true), (nth s v true); try (now elim Ds); cbn [eqb];
        (apply Rmult_le_compat_l; [lra|apply Rmin_l]).
Qed.

Lemma label_close eps x : 0 < eps -> 0 <= label eps x <= 1 /\ Rabs (label eps x - 1 / 2) <= Rabs x / 2.
Proof.
  intros He; assert (E : 1 < exp eps) by (rewrite <- exp_0; apply exp_increasing, He).
  assert (K : 1 / 2 < keep eps < 1).
  { unfold keep; split; apply Rmult_lt_reg_r with (1 + exp eps); try lra; unfold Rdiv; rewrite ?Rmult_assoc, Rinv_l by lra; lra. }
  assert (G : forall t, 0 <= t -> 0 <= sigma t - 1 / 2 <= t / 2).
  { intros t Ht; unfold sigma; assert (L := exp_ineq1_le (- t)); assert (P := exp_pos (- t)).
    assert (U : exp (- t) <= 1) by (rewrite <- exp_0; destruct Ht as [Ht|<-]; [left; apply exp_increasing; lra|rewrite Ropp_0; lra]).
    replace (/ (1 + exp (- t)) - 1 / 2) with ((1 - exp (- t)) / (2 * (1 + exp (- t)))) by (field; lra).
    split; [apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]|].
    apply Rmult_le_reg_r with (2 * (1 + exp (- t))); [lra|]; unfold Rdiv at 1; rewrite Rmult_assoc, Rinv_l by lra; nra. }
  assert (Op : sigma (- x) = 1 - sigma x) by (unfold sigma; rewrite Ropp_involutive, exp_Ropp; generalize (exp_pos x); intro; field; lra).
  assert (Sx : Rabs (sigma x - 1 / 2) <= Rabs x / 2 /\ 0 <= sigma x <= 1).
  { assert (Pos : 0 < sigma x < 1).
    { unfold sigma; generalize (exp_pos (- x)); intro; split; [apply Rinv_0_lt_compat; lra|rewrite <- Rinv_1; apply Rinv_lt_contravar; lra]. }
    split; [|lra]; unfold Rabs; destruct (Rcase_abs x) as [H|H].
    - assert (X := G (- x) ltac:(lra)); rewrite Op in X; destruct (Rcase_abs (sigma x - 1 / 2)); lra.
    - assert (X := G x ltac:(lra)); destruct (Rcase_abs (sigma x - 1 / 2)); lra. }
  unfold label; split; [nra|].
  replace (keep eps * sigma x + (1 - keep eps) * (1 - sigma x) - 1 / 2) with ((2 * keep eps - 1) * (sigma x - 1 / 2)) by field.
  rewrite Rabs_mult, (Rabs_pos_eq (2 * keep eps - 1)) by lra; destruct Sx as [Sx _]; assert (0 <= Rabs (sigma x - 1 / 2)) by apply Rabs_pos; nra.
Qed.

(* Any rule, any T: not all worlds can be within eta. *)
Lemma impossible eps R_max eta delta S T : 0 < eps -> 0 < R_max -> (0 < S)%nat -> eta < R_max * c0 / INR S ->
  (INR T + 1) / 2 ^ S + INR T * (R_max / 2) < 1 - delta ->
  ~ exists rule : list sample -> policy, (forall seen, in_class S (rule seen)) /\ forall r, In r (worlds S) ->
    1 - delta <= expect S R_max R_max (labels eps R_max r) rule T [] (best_within S R_max R_max r rule eta).
Proof.
  intros He HR HS Heta Small [rule [HC H]].
  assert (Sum := sum_expect S R_max R_max HS (worlds S) (fun _ _ _ => 1 / 2) rule (hit rule) T []).
  assert (Sum' : sum (worlds S) (fun r => expect S R_max R_max (fun _ _ _ => 1 / 2) rule T [] (hit rule r)) <= INR T + 1).
  { rewrite Sum; apply expect_bounded; [exact HS|intros; lra|]; intros h E.
    apply Rle_trans with (1 := few (worlds S) (iterates rule h) (worlds_distinct S)); rewrite iterates_length, E, S_INR; simpl.
    rewrite Nat.add_0_r; lra. }
  assert (Ne : worlds S <> []) by (intros E; assert (X := worlds_count S); rewrite E in X; simpl in X; assert (0 < 2 ^ S) by (apply pow_lt; lra); lra).
  destruct (pigeon _ _ _ Ne Sum') as [r [Ir Hr]]; rewrite worlds_count in Hr.
  assert (P2 : 0 < 2 ^ S) by (apply pow_lt; lra).
  assert (Hr' : expect S R_max R_max (fun _ _ _ => 1 / 2) rule T [] (hit rule r) <= (INR T + 1) / 2 ^ S).
  { apply Rmult_le_reg_l with (2 ^ S); [exact P2|]; replace (2 ^ S * ((INR T + 1) / 2 ^ S)) with (INR T + 1) by (field; lra); exact Hr. }
  specialize (H r Ir).
  assert (L01 : forall s a a', 0 <= labels eps R_max r s a a' <= 1) by (intros; apply label_close, He).
  assert (Lh : forall s a a', Rabs (labels eps R_max r s a a' - 1 / 2) <= R_max / 2).
  { intros s a a'; apply Rle_trans with (1 := proj2 (label_close eps _ He)); unfold reward.
    apply Rmult_le_compat_r; [lra|]; destruct (eqb a _), (eqb a' _); unfold Rabs; destruct (Rcase_abs _); lra. }
  assert (B : expect S R_max R_max (labels eps R_max r) rule T [] (best_within S R_max R_max r rule eta) <=
              expect S R_max R_max (labels eps R_max r) rule T [] (hit rule r)).
  { apply expect_le; [exact L01|]; intros h; unfold best_within, hit.
    destruct (existsb (fun pi => at_most (gap S R_max R_max r pi) eta) (iterates rule h)) eqn:E;
      [|destruct (existsb (same r) (iterates rule h)); lra].
    apply existsb_exists in E; destruct E as [pi [Ip Ep]].
    destruct (existsb (same r) (iterates rule h)) eqn:F; [lra|exfalso].
    assert (Sm : same r pi = false).
    { destruct (same r pi) eqn:G; [|reflexivity]; assert (X : existsb (same r) (iterates rule h) = true) by (apply existsb_exists; now exists pi); congruence. }
    assert (W := wrong S R_max r pi HS HR Ir (iterates_in rule S h HC pi Ip) Sm).
    unfold at_most in Ep; destruct (Rle_dec (gap S R_max R_max r pi) eta); [lra|discriminate]. }
  assert (Hy := hybrid S R_max R_max HS (labels eps R_max r) rule (hit rule r) (R_max / 2) L01
    ltac:(intros h; unfold hit; destruct (existsb (same r) (iterates rule h)); lra) Lh T []).
  lra.
Qed.

(* ---- numbers: T = 4^m, S = 2m + k, R_max = (1 - delta)/4^m ---- *)

Lemma INR_above x : exists n : nat, x < INR n.
Proof.
  destruct (Rle_or_lt 0 x) as [H|H]; [|exists O; simpl; lra].
  destruct (nfloor_ex x H) as [n [_ N]]; exists (n + 1)%nat; rewrite plus_INR; simpl; lra.
Qed.

Lemma below_two_to j : INR j < 2 ^ j.
Proof. induction j as [|j IH]; [simpl; lra|rewrite S_INR; simpl; assert (1 <= 2 ^ j) by (apply pow_R1_Rle; lra); lra]. Qed.

Lemma cube_below M : exists m0, forall m, (m0 <= m)%nat -> (1 <= m)%nat -> M * INR m ^ 3 < 2 ^ m.
Proof.
  destruct (INR_above (5000 * Rabs M)) as [n Hn]; exists (4 * n + 8)%nat; intros m Hm H1.
  set (j := (m / 4)%nat); assert (D := Nat.div_mod m 4 ltac:(lia)); assert (L := Nat.mod_upper_bound m 4 ltac:(lia)); fold j in D.
  assert (Hj : (n <= j)%nat /\ (2 <= j)%nat) by lia.
  assert (Mj : INR m <= 8 * INR j) by (replace 8 with (INR 8) by (simpl; ring); rewrite <- mult_INR; apply le_INR; lia).
  assert (J := below_two_to j); assert (J0 : 2 <= INR j) by (apply (le_INR 2); lia); assert (Jn : INR n <= INR j) by (apply le_INR; lia).
  assert (P : (2 ^ j) ^ 4 <= 2 ^ m) by (rewrite <- pow_mult; apply Rle_pow; [lra|lia]).
  assert (F : INR j ^ 4 < (2 ^ j) ^ 4).
  { assert (A : INR j ^ 2 < (2 ^ j) ^ 2) by (simpl; nra); replace (INR j ^ 4) with ((INR j ^ 2) ^ 2) by ring.
    replace ((2 ^ j) ^ 4) with (((2 ^ j) ^ 2) ^ 2) by ring; assert (0 <= INR j ^ 2) by apply pow2_ge_0; nra. }
  assert (C : INR m ^ 3 <= 512 * INR j ^ 3).
  { replace (512 * INR j ^ 3) with ((8 * INR j) ^ 3) by ring; apply pow_incr; split; [apply pos_INR|exact Mj]. }
  assert (A := Rle_abs M); assert (A0 := Rabs_pos M); assert (m3 : 0 <= INR m ^ 3) by (apply pow_le, pos_INR).
  assert (j3 : 0 < INR j ^ 3) by (apply pow_lt; lra).
  assert (M * INR m ^ 3 <= Rabs M * (512 * INR j ^ 3)).
  { apply Rle_trans with (Rabs M * INR m ^ 3); [apply Rmult_le_compat_r; lra|apply Rmult_le_compat_l; lra]. }
  assert (Rabs M * (512 * INR j ^ 3) < INR j * INR j ^ 3) by nra.
  replace (INR j * INR j ^ 3) with (INR j ^ 4) in * by ring; lra.
Qed.

Lemma root_le x : 0 <= x -> sqrt x <= 1 + x.
Proof. intros H; rewrite <- (sqrt_square (1 + x)) by lra; apply sqrt_le_1_alt; nra. Qed.

Lemma ln_2 : 0 < ln 2 <= 1.
Proof.
  split; [rewrite <- ln_1; apply ln_increasing; lra|]; rewrite <- (ln_exp 1).
  destruct (Req_dec 2 (exp 1)) as [->|]; [lra|left; apply ln_increasing; [lra|generalize (exp_ineq1 1); lra]].
Qed.

Theorem small_rewards_holds : small_rewards.
Proof.
  intros K eps delta R0 He Hd HR0; assert (C0 := c0_pos); assert (L2 := ln_2).
  assert (E : 1 < exp eps) by (rewrite <- exp_0; apply exp_increasing, He).
  assert (Cp : 0 < c eps) by (unfold c; apply Rdiv_lt_0_compat; lra).
  destruct (INR_above (8 / (1 - delta))) as [k Hk].
  (* constants: 2^k > 8/(1-delta); bound <= K1 * R_max m^3/2^m *)
  set (k1 := INR k + 2); set (K1 := (Rabs K + 1) * (2 * 3 ^ 2) * 2 * 2 * c eps * (1 + k1 + 2 + / delta) * k1).
  destruct (cube_below (K1 / c0)) as [m1 Hm1]; destruct (INR_above (1 / R0)) as [m2 Hm2].
  set (m := (m1 + m2 + 1)%nat); assert (M1 : 1 <= INR m) by (apply (le_INR 1); unfold m; lia).
  set (R_max := (1 - delta) / 4 ^ m); set (S := (2 * m + k)%nat); set (T := (4 ^ m)%nat).
  assert (IT : INR T = 4 ^ m) by (unfold T; rewrite pow_INR; f_equal; simpl; ring).
  assert (P4 : 4 ^ m = 2 ^ m * 2 ^ m) by (rewrite <- Rpow_mult_distr; f_equal; ring).
  assert (P2 : INR m < 2 ^ m) by apply below_two_to; assert (P1 : 1 <= 2 ^ m) by (apply pow_R1_Rle; lra).
  assert (R1 : 0 < R_max) by (unfold R_max; apply Rdiv_lt_0_compat; [lra|apply pow_lt; lra]).
  assert (R2 : R_max * 4 ^ m = 1 - delta) by (unfold R_max; field; apply pow_nonzero; lra).
  assert (R3 : R_max < R0).
  { assert (X : 1 / R0 < INR m) by (apply Rlt_le_trans with (1 := Hm2); apply le_INR; unfold m; lia).
    assert (Y : 1 < R0 * INR m) by (apply Rmult_lt_compat_l with (r := R0) in X; [|lra]; replace (R0 * (1 / R0)) with 1 in X by (field; lra); lra).
    assert (INR m < 4 ^ m) by nra; apply Rmult_lt_reg_r with (4 ^ m); [lra|rewrite R2].
    assert (R0 * INR m < R0 * 4 ^ m) by (apply Rmult_lt_compat_l; lra); lra. }
  exists R_max, S, T; split; [lra|split; [unfold S, m; lia|split; [apply INR_le; rewrite IT; simpl INR; nra|]]].
  assert (SI : INR S = 2 * INR m + INR k) by (unfold S; rewrite plus_INR, mult_INR; simpl; ring).
  assert (k0 := pos_INR k); assert (S0 : 0 < INR S) by lra.
  apply impossible; [exact He|exact R1|apply INR_lt; simpl; lra| |].
  - (* the printed bound is below R_max c0/S *)
    unfold printed; rewrite IT.
    set (D := 2 ^ S * 4 ^ m / delta).
    assert (pS : 0 < 2 ^ S) by (apply pow_lt; lra).
    assert (lnpow : forall b n, 0 < b -> ln (b ^ n) = INR n * ln b).
    { intros b n Hb; induction n as [|n IH]; [simpl; rewrite ln_1; ring|rewrite S_INR; simpl pow; rewrite ln_mult, IH by (try apply pow_lt; lra); ring]. }
    assert (ln4 : ln 4 = 2 * ln 2) by (replace 4 with (2 * 2) by ring; rewrite ln_mult by lra; ring).
    assert (lT : 0 <= ln (4 ^ m) <= 2 * INR m) by (rewrite lnpow, ln4 by lra; nra).
    assert (lD : ln D <= INR S + 2 * INR m + / delta).
    { unfold D; rewrite ln_div, ln_mult, !lnpow, ln4 by (try apply Rmult_lt_0_compat; try apply pow_lt; lra).
      assert (X := exp_ineq1_le (- ln delta)); rewrite exp_Ropp, exp_ln in X by lra; nra. }
    assert (D1 : 0 <= ln D).
    { rewrite <- ln_1; assert (1 <= D); [|destruct (Req_dec 1 D) as [<-|]; [lra|left; apply ln_increasing; lra]].
      unfold D; apply Rmult_le_reg_r with delta; [lra|]; replace (2 ^ S * 4 ^ m / delta * delta) with (2 ^ S * 4 ^ m) by (field; lra).
      assert (1 <= 2 ^ S) by (apply pow_R1_Rle; lra); assert (1 <= 4 ^ m) by (apply pow_R1_Rle; lra); nra. }
    assert (lD' : sqrt (ln D) <= (1 + k1 + 2 + / delta) * INR m).
    { apply Rle_trans with (1 := root_le _ D1); assert (0 < / delta) by (apply Rinv_0_lt_compat; lra); unfold k1; rewrite SI in lD; nra. }
    assert (Sq : sqrt (ln D / 4 ^ m) = sqrt (ln D) / 2 ^ m).
    { rewrite sqrt_div_alt by (apply pow_lt; lra); f_equal; rewrite P4; apply sqrt_square; lra. }
    rewrite Sq; assert (Ex : exp (2 * R_max) <= 3 ^ 2).
    { assert (R_max <= 1) by (assert (1 <= 4 ^ m) by (apply pow_R1_Rle; lra); nra).
      replace (2 * R_max) with (R_max + R_max) by ring; rewrite exp_plus; assert (exp R_max <= 3).
      { apply Rle_trans with (2 := exp_le_3); destruct (Req_dec R_max 1) as [->|]; [lra|left; apply exp_increasing; lra]. }
      generalize (exp_pos R_max); nra. }
    assert (s2 : 0 <= sqrt 2 <= 2) by (split; [apply sqrt_pos|replace 2 with (sqrt (2 * 2)) at 2 by (apply sqrt_square; lra); apply sqrt_le_1_alt; lra]).
    set (x := sqrt (ln D)) in *; assert (x0 : 0 <= x) by apply sqrt_pos.
    assert (p2 : 0 < / 2 ^ m) by (apply Rinv_0_lt_compat; lra).
    set (cd := 1 + k1 + 2 + / delta) in *; assert (cd0 : 0 < cd) by (unfold cd, k1; assert (0 < / delta) by (apply Rinv_0_lt_compat; lra); lra).
    assert (Bound : (R_max + R_max) * exp (2 * R_max) * ln (4 ^ m) * sqrt 2 * (c eps * (x / 2 ^ m)) <=
                    R_max * (2 * 3 ^ 2 * 2 * 2 * c eps * cd) * INR m ^ 2 * / 2 ^ m).
    { replace (R_max * (2 * 3 ^ 2 * 2 * 2 * c eps * cd) * INR m ^ 2 * / 2 ^ m)
        with ((R_max + R_max) * 3 ^ 2 * (2 * INR m) * 2 * (c eps * (cd * INR m / 2 ^ m))) by (field; lra).
      assert (e0 := exp_pos (2 * R_max)).
      apply Rmult_le_compat; [nn|nn| |].
      - apply Rmult_le_compat; [nn|lra| |lra].
        apply Rmult_le_compat; [nn|lra| |lra].
        apply Rmult_le_compat_l; lra.
      - apply Rmult_le_compat_l; [lra|apply Rmult_le_compat_r; lra]. }
    set (bound := (R_max + R_max) * exp (2 * R_max) * ln (4 ^ m) * sqrt 2 * (c eps * (x / 2 ^ m))) in *.
    assert (b0 : 0 <= bound) by (unfold bound; assert (e0 := exp_pos (2 * R_max)); nn).
    assert (Kb : K * bound <= (Rabs K + 1) * bound) by (apply Rmult_le_compat_r; [exact b0|generalize (Rle_abs K); lra]).
    assert (Kp : 0 < Rabs K + 1) by (generalize (Rabs_pos K); lra).
    apply Rle_lt_trans with (1 := Kb).
    apply Rle_lt_trans with ((Rabs K + 1) * (R_max * (2 * 3 ^ 2 * 2 * 2 * c eps * cd) * INR m ^ 2 * / 2 ^ m)); [apply Rmult_le_compat_l; lra|].
    apply Rmult_lt_reg_r with (INR S * 2 ^ m); [apply Rmult_lt_0_compat; lra|].
    replace (R_max * c0 / INR S * (INR S * 2 ^ m)) with (R_max * (c0 * 2 ^ m)) by (field; lra).
    replace ((Rabs K + 1) * (R_max * (2 * 3 ^ 2 * 2 * 2 * c eps * cd) * INR m ^ 2 * / 2 ^ m) * (INR S * 2 ^ m))
      with (R_max * ((Rabs K + 1) * (2 * 3 ^ 2 * 2 * 2 * c eps * cd) * INR m ^ 2 * INR S)) by (field; lra).
    apply Rmult_lt_compat_l; [exact R1|].
    assert (Sm : INR S <= k1 * INR m) by (rewrite SI; unfold k1; nra).
    specialize (Hm1 m ltac:(unfold m; lia) ltac:(unfold m; lia)).
    apply Rle_lt_trans with ((Rabs K + 1) * (2 * 3 ^ 2 * 2 * 2 * c eps * cd) * INR m ^ 2 * (k1 * INR m)).
    + apply Rmult_le_compat_l; [|exact Sm]; nn.
    + replace ((Rabs K + 1) * (2 * 3 ^ 2 * 2 * 2 * c eps * cd) * INR m ^ 2 * (k1 * INR m)) with (c0 * (K1 / c0 * INR m ^ 3)) by (unfold K1; fold cd; field; lra).
      apply Rmult_lt_compat_l; lra.
  - (* chances *)
    rewrite IT; replace (4 ^ m * (R_max / 2)) with ((1 - delta) / 2) by lra.
    assert (X : 2 ^ S = 4 ^ m * 2 ^ k) by (unfold S; rewrite pow_add, pow_mult; f_equal; f_equal; ring).
    assert (Y := below_two_to k); assert (Z : 8 < 2 ^ k * (1 - delta)).
    { apply Rle_lt_trans with (8 / (1 - delta) * (1 - delta)); [right; field; lra|apply Rmult_lt_compat_r; lra]. }
    rewrite X; assert (F1 : 1 <= 4 ^ m) by (apply pow_R1_Rle; lra); assert (0 < 2 ^ k) by (apply pow_lt; lra).
    assert ((4 ^ m + 1) / (4 ^ m * 2 ^ k) < (1 - delta) / 2); [|lra].
    apply Rmult_lt_reg_r with (4 ^ m * 2 ^ k); [apply Rmult_lt_0_compat; lra|].
    replace ((4 ^ m + 1) / (4 ^ m * 2 ^ k) * (4 ^ m * 2 ^ k)) with (4 ^ m + 1) by (field; lra); nra.
Qed.

(* ---- the assumptions hold ---- *)

Lemma logs : ln (q1 / (1 / 2)) = 1 - ln ((exp 1 + 1) / 2) /\ ln ((1 - q1) / (1 / 2)) = - ln ((exp 1 + 1) / 2) /\ 0 <= ln ((exp 1 + 1) / 2) <= 1.
Proof.
  assert (E := exp_pos 1); assert (E1 := exp_ineq1 1 ltac:(lra)); assert (E3 := exp_le_3).
  replace (q1 / (1 / 2)) with (exp 1 / ((exp 1 + 1) / 2)) by (unfold q1; field; lra).
  replace ((1 - q1) / (1 / 2)) with (1 / ((exp 1 + 1) / 2)) by (unfold q1; field; lra).
  split; [rewrite (ln_div (exp 1)), ln_exp by lra; ring|split; [rewrite (ln_div 1), ln_1 by lra; ring|split]].
  - rewrite <- ln_1; left; apply ln_increasing; lra.
  - apply Rle_trans with (ln (exp 1)); [left; apply ln_increasing; lra|rewrite ln_exp; lra].
Qed.

Theorem bounded_ratios_holds : bounded_ratios.
Proof.
  intros R_max pi s a H; destruct logs as [A [B C]]; rewrite Rabs_mult, (Rabs_pos_eq R_max) by lra.
  assert (G : Rabs (ln (chance R_max R_max pi s a / (1 / 2))) <= 1).
  { destruct pi as [|r]; [cbn [chance]; replace (1 / 2 / (1 / 2)) with 1 by field; rewrite ln_1, Rabs_R0; lra|].
    assert (F : chance R_max R_max (Optimal r) s a = if Bool.eqb a (nth s r true) then q1 else 1 - q1).
    { destruct a; [rewrite chance_is by exact H; now destruct (nth s r true)|].
      assert (X := chance_is R_max r s H); unfold chance in *.
      assert (Y : forall u v w, 0 < u + v -> u / (u + v) = w -> v / (u + v) = 1 - w) by (intros u v w P <-; field; lra).
      rewrite (Y _ _ _ ltac:(apply Rplus_lt_0_compat; apply exp_pos) X); destruct (nth s r true); cbn [Bool.eqb]; lra. }
    rewrite F; destruct (Bool.eqb a _); rewrite ?A, ?B; unfold Rabs; destruct (Rcase_abs _); lra. }
  apply Rle_trans with (R_max * 1); [apply Rmult_le_compat_l; lra|lra].
Qed.

Theorem coverability_holds : coverability.
Proof.
  intros R_max beta S pi s a H; assert (N : 0 < INR S) by now apply lt_0_INR.
  replace (/ INR S * chance R_max beta pi s a / (/ INR S * (1 / 2))) with (2 * chance R_max beta pi s a) by (field; lra).
  generalize (chance_range R_max beta pi s a); lra.
Qed.

Theorem optimal_is_best_holds : optimal_is_best.
Proof.
  intros R_max S r q H Q; destruct logs as [A [B _]]; assert (Q1 := q1_range).
  assert (G : forall t y, 0 <= t -> 0 < y -> t - y <= t * (ln (t / (1 / 2)) - ln (y / (1 / 2)))).
  { intros t y [Ht|<-] Hy; [|rewrite Rmult_0_l; lra].
    rewrite !ln_div by lra; assert (X := exp_ineq1_le (ln y - ln t)).
    replace (ln y - ln t) with (ln (y / t)) in X at 2 by (rewrite ln_div; lra); rewrite exp_ln in X by (apply Rdiv_lt_0_compat; lra).
    assert (Y : t * (1 - y / t) <= t * (ln t - ln y)) by (apply Rmult_le_compat_l; lra).
    replace (t * (1 - y / t)) with (t - y) in Y by (field; lra); lra. }
  assert (K : forall p, 0 <= p <= 1 -> p - kl p <= ln ((exp 1 + 1) / 2)).
  { intros p P; assert (X := G p q1 ltac:(lra) ltac:(lra)); assert (Y := G (1 - p) (1 - q1) ltac:(lra) ltac:(lra)).
    rewrite A in X; rewrite B in Y; unfold kl; lra. }
  apply average_le; intros s _; cbv zeta; rewrite chance_is by exact H; unfold reward; specialize (Q s).
  assert (V := kl_q1); destruct (nth s r true); cbn [eqb]; rewrite ?kl_flip.
  - assert (X := K (q s) Q); assert (R_max * (q s - kl (q s)) <= R_max * (q1 - kl q1)) by (apply Rmult_le_compat_l; lra); lra.
  - assert (X := K (1 - q s) ltac:(lra)); rewrite kl_flip in X.
    assert (R_max * (1 - q s - kl (q s)) <= R_max * (q1 - kl q1)) by (apply Rmult_le_compat_l; lra); lra.
Qed.

Print Assumptions small_rewards_holds.
Print Assumptions bounded_ratios_holds.
Print Assumptions coverability_holds.
Print Assumptions optimal_is_best_holds.
