(* P1 (arXiv 2510.13512), Definition 3.2: D^2((s,a); pi) = sup_{g,h in F} inf_b (g(s,a) - h(s,a) - b(s))^2 / E Var[g - h],
   with b : S -> [-B, B] and g, h : S x A -> [0, B].  The infimum stands inside, after (s,a): b may be chosen for each
   response, b(s) = g(s,a) - h(s,a), and D^2 is 0 at every response.

   printed_is_zero:  the printed quantity is 0 for every class of rewards whose different members have a variance above 0,
                     at every s and a, so that Definition 3.3's D_pi^2 is 0, and Theorem 4.2 would say that the gap is.
   with_the_mean:    with b(s) = E_pi[g - h] it is 1 for two responses and an even pi.
   Line by line: any S, A, F; E_{s ~ d_0} Var_{a ~ pi} is any positive functional; b is a number, since D^2 reads b(s) only.
   What it does not say: that the paper means this; its appendix (proof of Theorem 4.2) defines b, and this is a slip of
       notation in the text at hand. *)

Require Import Reals Lra Psatz.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

(* m is the infimum of f over b in [-B, B]; d is the supremum over different g, h in F of such infima. *)
Definition is_infimum (B : R) (f : R -> R) (m : R) : Prop := is_glb_Rbar (fun y => exists b, - B <= b <= B /\ y = f b) m.
Definition ratio {S A : Type} (variance : (S -> A -> R) -> R) (g h : S -> A -> R) (s : S) (a : A) (b : R) : R :=
  (g s a - h s a - b) ^ 2 / variance (fun s a => g s a - h s a).
Definition differ {S A : Type} (g h : S -> A -> R) : Prop := exists s a, g s a <> h s a.
Definition is_D2 {S A : Type} (B : R) (F : (S -> A -> R) -> Prop) (variance : (S -> A -> R) -> R) (s : S) (a : A) (d : R) : Prop :=
  is_lub_Rbar (fun m => exists g h, F g /\ F h /\ differ g h /\ is_infimum B (ratio variance g h s a) m) d.

Definition printed_is_zero : Prop := forall (S A : Type) (B : R) (F : (S -> A -> R) -> Prop) (variance : (S -> A -> R) -> R),
  (forall g, F g -> forall s a, 0 <= g s a <= B) ->
  (forall g h, F g -> F h -> differ g h -> 0 < variance (fun s a => g s a - h s a)) -> (exists g h, F g /\ F h /\ differ g h) ->
  forall (s : S) (a : A) (d : R), is_D2 B F variance s a d -> d = 0.

Definition with_the_mean : Prop := forall x y : R, x <> y -> let b := (x + y) / 2 in
  (x - b) ^ 2 / (((x - b) ^ 2 + (y - b) ^ 2) / 2) = 1.

(* ---- proofs ---- *)

Theorem printed_is_zero_holds : printed_is_zero.
Proof.
  intros S A B F variance rewards spread Two.
  assert (infimum_is_zero : forall g h s a, F g -> F h -> differ g h -> is_infimum B (ratio variance g h s a) 0).
  { intros g h s a Hg Hh N; assert (V := spread g h Hg Hh N); split.
    - intros y [b [_ ->]]; unfold ratio; simpl; apply Rmult_le_pos; [apply pow2_ge_0|left; now apply Rinv_0_lt_compat].
    - intros l H; apply H; exists (g s a - h s a); split.
      + assert (X := rewards g Hg s a); assert (Y := rewards h Hh s a); lra.
      + unfold ratio; field; lra. }
  intros s a d [Up Least]; destruct Two as [g [h [Hg [Hh N]]]]; apply Rle_antisym.
  - apply (Least (Finite 0)); intros m [g' [h' [Hg' [Hh' [N' I]]]]].
    assert (Z := infimum_is_zero g' h' s a Hg' Hh' N').
    assert (E := is_glb_Rbar_unique _ _ I); rewrite (is_glb_Rbar_unique _ _ Z) in E; simpl; injection E as <-; lra.
  - apply (Up 0); exists g, h; repeat split; try assumption; now apply infimum_is_zero.
Qed.

Theorem with_the_mean_holds : with_the_mean.
Proof.
  intros x y N b; unfold b; assert (0 < (x - y) ^ 2) by (apply pow2_gt_0; lra); field.
  replace (_ + _) with (2 * (x - y) ^ 2) by ring; lra.
Qed.

Print Assumptions printed_is_zero_holds.
Print Assumptions with_the_mean_holds.
