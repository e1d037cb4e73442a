"""The model proposes; what is done is what passes, and without a model there is still a plan or a question."""

import threading
import time
from collections.abc import Callable

import pytest
from language_models import Parrot, planner_of, steps
from planning_tables import at, scene_of, tabletop
from planning_world import World

from reins.contracts.plan import Constraint, Plan, SkillCall
from reins.contracts.scene import Scene
from reins.language_models.model import Cancel, Cancelled, ModelError
from reins.planning.approval import Approve, Reject
from reins.planning.executor import TaskExecutor
from reins.planning.language.compact import FORMAT, kind_names
from reins.planning.language.planner import LanguagePlanner
from reins.planning.language.settings import LanguageSettings
from reins.planning.planner import Cancellable, History, StepRecord
from reins.planning.reach import Reach
from reins.skills.library import SKILLS

SCENE = tabletop()
ASKED = "would you pop the red cube into the bowl for me, pal"
KNOWN = "put the red block in the blue bowl"
GOOD = steps("pick red_block", "place_in blue_bowl")
UNMET = steps("place_in blue_bowl")
AVOID_YELLOW = Constraint(kind="avoid", object="yellow_block")


def ask(model: Parrot, instruction: str = ASKED, scene: Scene = SCENE, **settings: object) -> Plan:
    return planner_of(model, **settings).plan(instruction, scene, History(scene))


def calls(plan: Plan) -> list[str]:
    return [str(step) for step in plan.steps or ()]


def test_a_reply_that_passes_is_the_plan() -> None:
    model = Parrot(steps("pick red_block", "place_in blue_bowl", thought="into the bowl"))
    plan = ask(model)
    assert calls(plan) == ["pick(object=red_block)", "place_in(container=blue_bowl)"]
    assert plan.thought == "into the bowl" and len(model.prompts) == 1


@pytest.mark.parametrize("takes", ["chat", FORMAT])
@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("I would rather not", "no JSON object"),
        ('{"thought":"', "middle of its JSON"),
        ('{"thought":"and so on…', "cut off after 768 tokens"),
        (UNMET, "something is held, which is not so"),
        (steps("pick blue_bowl"), "not a block"),
        (steps("fly red_block"), "no skill 'fly'"),
        (steps("pick green_cat"), "no object 'green_cat'"),
        (
            '{"thought":"","steps":[{"skill":"push","arguments":{"object":"red_block","direction":"left","distance":9}}]}',
            "must be a number from 0.02 to 0.2",
        ),
        (steps(), "has no steps"),
        (steps("pick red_block"), "not what was asked for: red_block is not in blue_bowl"),
        (steps("pick green_block", "place_in blue_bowl"), "not what was asked for: red_block is not in blue_bowl"),
    ],
)
def test_a_reply_that_does_not_pass_is_sent_back_with_the_reason(takes: str, bad: str, reason: str) -> None:
    model = Parrot(bad, GOOD, takes=takes)
    assert calls(ask(model, KNOWN)) == ["pick(object=red_block)", "place_in(container=blue_bowl)"]
    told = kind_names(SCENE, SCENE).told(reason) if takes == FORMAT else reason
    assert told not in model.prompts[0] and told in model.prompts[1]


@pytest.mark.parametrize("takes", ["chat", FORMAT])
def test_the_prompt_is_the_one_that_the_model_takes(takes: str) -> None:
    model = Parrot(GOOD, takes=takes)
    ask(model)
    assert model.prompts[0].startswith("#scene") == (takes == FORMAT)
    other = Parrot(GOOD, takes=takes)
    ask(other, prompt="compact")
    assert other.prompts[0].startswith("#scene")


def test_after_the_last_attempt_the_symbolic_planner_plans_and_it_is_told() -> None:
    reports: list[str] = []
    model = Parrot(UNMET)
    planner = planner_of(model, reports, attempts=2)
    plan = planner.plan(KNOWN, SCENE, History(SCENE))
    assert planner.without_model == 1
    assert calls(plan) == ["pick(object=red_block)", "place_in(container=blue_bowl)"]
    assert len(model.prompts) == 2 and plan.thought.endswith("planned without the language model")
    (report,) = reports
    assert "no plan that works in 2 attempts" in report and "the symbolic planner goes on" in report


class TestDoubts:
    """A plan says why a person should look at it; a reply cannot say that it need not."""

    def test_a_plan_without_the_model_is_doubtful(self) -> None:
        plan = planner_of(Parrot(ModelError("it is down"))).plan(KNOWN, SCENE, History(SCENE))
        assert plan.doubts == ("it was planned without the language model",)

    @pytest.mark.parametrize(
        ("same", "doubts"), [(5, ()), (3, ()), (2, ("only 2 of 5 replies of the model agree on it",))]
    )
    def test_so_is_one_that_few_replies_agree_on(self, same: int, doubts: tuple[str, ...]) -> None:
        others = [steps(f"pick {name}", "place_in blue_bowl") for name in ("green_block", "blue_block", "yellow_block")]
        plan = ask(Parrot(*[GOOD] * same, *others), temperature=0.5, votes=5)
        assert calls(plan)[0] == "pick(object=red_block)" and plan.doubts == doubts

    def test_a_reply_has_none(self) -> None:
        model = Parrot('{"thought":"","steps":[{"skill":"home"}],"doubts":[]}', steps("home"))
        assert calls(ask(model)) == ["home()"] and "a reply has no doubts" in model.prompts[1]


class TestSmoothing:
    """Sub-goals of a reply are made smooth where that does what was asked for as well."""

    HALF = '{"skill":"push","arguments":{"object":"red_block","direction":"left","distance":0.05}}'

    def test_strokes_are_joined(self) -> None:
        plan = ask(Parrot(f'{{"thought":"","steps":[{self.HALF},{self.HALF}]}}'))
        assert calls(plan) == ["push(object=red_block, direction=left, distance=0.1)"]

    def test_what_was_asked_for_twice_is_done_twice(self) -> None:
        twice = "push the red block 5 cm to the left and then push the red block 5 cm to the left"
        plan = ask(Parrot(f'{{"thought":"","steps":[{self.HALF},{self.HALF}]}}'), twice)
        assert len(calls(plan)) == 2

    def test_what_leads_out_of_the_workspace_is_sent_back(self) -> None:
        far = '{"skill":"push","arguments":{"object":"red_block","direction":"left","distance":0.2}}'
        model, reach = Parrot(f'{{"thought":"","steps":[{far}]}}', GOOD), Reach((0.0, -0.4, 0.0), (0.8, 0.4, 0.8))
        planner = LanguagePlanner("parrot", lambda: model, SKILLS, LanguageSettings(), lambda _: None, reach=reach)
        assert calls(planner.plan(ASKED, SCENE, History(SCENE)))[0] == "pick(object=red_block)"
        assert "where the workspace ends at 0.40 m" in model.prompts[1]


@pytest.mark.parametrize("takes", ["chat", FORMAT])
def test_why_an_operator_turned_a_plan_down_is_in_the_next_prompt(takes: str) -> None:
    model = Parrot(GOOD, steps("pick red_block", "place_on white_plate"), takes=takes)
    world = World(SCENE)
    world.answers = [Reject("I meant the <|plate|>"), Approve()]
    done = world.drive(TaskExecutor(planner_of(model), SKILLS, ASKED, approve="ask"))
    assert done.outcome == "succeeded" and world.calls[1] == "place_on(support=white_plate)"
    assert "the operator turned it down: i meant the plate" in model.prompts[1].lower()


def test_names_of_the_short_prompt_are_ids_again_in_the_plan_and_in_its_words() -> None:
    said = '{"thought":"red block is in blue bowl","steps":[{"skill":"pick","arguments":{"object":"red block"}},'
    said += '{"skill":"place_in","arguments":{"container":"blue bowl"}}]}'
    plan = ask(Parrot(said, takes=FORMAT), KNOWN)
    assert calls(plan) == ["pick(object=red_block)", "place_in(container=blue_bowl)"]
    assert plan.thought == "red_block is in blue_bowl"
    assert ask(Parrot('{"thought":"","question":"red block?"}', takes=FORMAT)).question == "red_block?"


def test_a_conversation_is_about_ids() -> None:
    model = Parrot('{"thought":"","steps":[{"skill":"pick","arguments":{"object":"red block"}}]}', GOOD)
    assert calls(ask(model, KNOWN)) and "no object 'red block'" in model.prompts[1]


def test_where_the_symbolic_planner_has_no_plan_either_the_operator_is_asked() -> None:
    reports: list[str] = []
    plan = planner_of(Parrot(ModelError("the server is down")), reports).plan("yeet it", SCENE, History(SCENE))
    assert plan.question is not None and "the server is down" in plan.question and "'yeet'" in plan.question
    assert "has no plan either" in reports[0]


def test_questions_and_refusals_of_the_model_are_passed_on() -> None:
    assert ask(Parrot('{"thought":"","question":"which one?"}')).question == "which one?"
    assert ask(Parrot('{"thought":"","refusal":"too hot"}')).refusal == "too hot"


def test_a_model_that_does_not_load_is_tried_again_at_the_next_plan() -> None:
    tries: list[int] = []

    def load() -> Parrot:
        tries.append(1)
        if len(tries) < 3:
            raise ModelError("there is no such file")
        return Parrot(GOOD)

    reports: list[str] = []
    planner = LanguagePlanner("parrot", load, SKILLS, LanguageSettings(), reports.append)
    planner.warm_up()
    assert "until that is mended" in reports[0]
    assert "without the language model" in planner.plan(KNOWN, SCENE, History(SCENE)).thought
    assert "without the language model" not in planner.plan(KNOWN, SCENE, History(SCENE)).thought
    planner.plan(KNOWN, SCENE, History(SCENE))
    assert len(tries) == 3 and len(reports) == 2


REFUSED = '{"thought":"","refusal":"That takes touching yellow_block."}'
KEPT = f"{KNOWN} but don't touch the yellow block"


@pytest.mark.parametrize("takes", ["chat", FORMAT])
@pytest.mark.parametrize("said", [REFUSED, '{"thought":"","question":"Which bowl?"}'])
class TestWhoDoesNotPlanWhatCanBeDone:
    """Asked once more, with the way; who says so again is heard."""

    def test_plans_it_when_told_the_way(self, takes: str, said: str) -> None:
        model = Parrot(said, GOOD, takes=takes)
        plan = ask(model, KEPT)
        assert calls(plan) == ["pick(object=red_block)", "place_in(container=blue_bowl)"]
        assert AVOID_YELLOW in plan.constraints
        names = kind_names(SCENE, SCENE)
        way = "it can be done, and touches nothing that must not be touched: pick red_block, then place_in blue_bowl"
        assert (names.told(way) if takes == FORMAT else way) in model.prompts[1]

    def test_is_heard_who_insists(self, takes: str, said: str) -> None:
        model = Parrot(said, takes=takes)
        plan = ask(model, KEPT)
        assert plan.steps is None and len(model.prompts) == 2

    def test_is_heard_at_once_where_there_is_one_attempt(self, takes: str, said: str) -> None:
        model = Parrot(said, takes=takes)
        assert ask(model, KEPT, attempts=1).steps is None and len(model.prompts) == 1

    @pytest.mark.parametrize(
        "instruction", [ASKED, f"{KNOWN} but don't touch the red block", "put the green block on the cyan block"]
    )
    def test_is_heard_at_once_where_nobody_knows_better(self, takes: str, said: str, instruction: str) -> None:
        model = Parrot(said, takes=takes)
        assert ask(model, instruction).steps is None and len(model.prompts) == 1


@pytest.mark.parametrize("instruction", ["", "x" * 401])
def test_an_instruction_that_cannot_be_shown_whole_is_refused_unasked(instruction: str) -> None:
    model = Parrot(GOOD)
    assert "instruction" in (ask(model, instruction).refusal or "")
    assert model.prompts == []


class TestTime:
    """Nothing waits for ever."""

    def test_a_model_that_says_nothing_is_left_after_the_limit(self) -> None:
        begun = time.monotonic()
        plan = ask(Parrot(None), KNOWN, answer_limit=0.1)
        assert plan.steps and time.monotonic() - begun < 5.0

    def test_attempts_share_the_limit(self) -> None:
        model = Parrot(UNMET)
        ask(model, KNOWN, attempts=3, answer_limit=5.0)
        left = [bounds.seconds for bounds in model.bounds]
        assert left == sorted(left, reverse=True) and left[0] <= 5.0

    def test_a_model_that_does_not_come_to_its_end_holds_up_no_second_plan(self) -> None:
        stuck = threading.Event()

        class Stuck(Parrot):  # type: ignore[misc]
            def complete(self, *_args: object, **_kwargs: object) -> object:
                stuck.wait(20.0)
                raise ModelError("late")

        planner = planner_of(Stuck(), answer_limit=0.2)
        thread = threading.Thread(target=planner.plan, args=(KNOWN, SCENE, History(SCENE)))
        thread.start()
        time.sleep(0.05)
        assert planner.plan(KNOWN, SCENE, History(SCENE)).steps
        stuck.set()
        thread.join(10.0)

    def test_closing_gives_the_model_back(self) -> None:
        model = Parrot(GOOD)
        planner = planner_of(model)
        planner.plan(ASKED, SCENE, History(SCENE))
        planner.close()
        assert model.closed and isinstance(planner, Cancellable)


class TestCancel:
    """What is to be called when it is given is called once, by whoever gives it."""

    def test_calls_within_the_block(self) -> None:
        cancel, heard = Cancel(), []
        with cancel.calls(lambda: heard.append(1)):
            pass
        assert not cancel.given
        cancel.give()
        assert heard == [] and cancel.given

    def test_given_in_the_block_and_before_it(self) -> None:
        cancel, heard = Cancel(), []
        with cancel.calls(lambda: heard.append(1)):
            cancel.give()
            cancel.give()
        assert heard == [1]
        with cancel.calls(lambda: heard.append(2)):
            assert heard == [1, 2]
        with pytest.raises(Cancelled):
            cancel.check()


class TestVotes:
    """The most frequent plan counts, whatever it is called."""

    RED = steps("pick red_block", thought="red")
    GREEN = steps("pick green_block", thought="one"), steps("pick green_block", thought="another")

    def test_the_majority_counts(self) -> None:
        model = Parrot(self.RED, *self.GREEN)
        assert calls(ask(model, votes=3, temperature=0.7)) == ["pick(object=green_block)"]
        assert len({bounds.seed for bounds in model.bounds}) == 3

    def test_what_does_not_pass_has_no_vote(self) -> None:
        model = Parrot(UNMET, UNMET, self.RED)
        assert calls(ask(model, votes=3, temperature=0.7)) == ["pick(object=red_block)"]
        assert len(model.prompts) == 3

    def test_a_plan_with_another_constraint_is_another_plan(self) -> None:
        careful = steps("pick red_block", rules=['{"kind":"speed","scale":0.5}'])
        plan = ask(Parrot(self.RED, careful, careful), votes=3, temperature=0.7)
        assert plan.constraints == (Constraint(kind="speed", scale=0.5),)

    def test_without_a_temperature_one_is_asked(self) -> None:
        model = Parrot(GOOD)
        ask(model, votes=5)
        assert len(model.prompts) == 1


class TestConstraints:
    """A model may add constraints; it takes none away."""

    SAID = "chuck the red block in the bowl, carefully, and don't touch the yellow block"

    def test_what_the_operator_said_is_added(self) -> None:
        assert set(ask(Parrot(GOOD), self.SAID).constraints) == {AVOID_YELLOW, Constraint(kind="speed", scale=0.5)}

    def test_the_lowest_speed_counts(self) -> None:
        slower = steps("pick red_block", rules=['{"kind":"speed","scale":0.3}'])
        assert Constraint(kind="speed", scale=0.3) in ask(Parrot(slower), self.SAID).constraints
        faster = steps("pick red_block", rules=['{"kind":"speed","scale":0.9}'])
        assert Constraint(kind="speed", scale=0.5) in ask(Parrot(faster), self.SAID).constraints

    def test_a_plan_that_touches_it_is_sent_back(self) -> None:
        model = Parrot(steps("pick yellow_block"), GOOD)
        assert calls(ask(model, self.SAID))[0] == "pick(object=red_block)"
        assert "must not be touched" in model.prompts[1]

    def test_what_others_forbid_counts_as_well_and_is_told(self) -> None:
        model = Parrot(steps("pick yellow_block"), GOOD)
        history = History(SCENE, forbidden=frozenset({"yellow_block", "gone_block"}))
        plan = planner_of(model).plan(ASKED, SCENE, history)
        assert calls(plan)[0] == "pick(object=red_block)" and plan.constraints == ()
        assert "Must not be touched: gone_block and yellow_block." in model.prompts[0]

    def test_earlier_plans_of_the_task_bind_later_ones(self) -> None:
        gone = Constraint(kind="avoid", object="gone_block")
        history = History(SCENE, agreed=(AVOID_YELLOW, gone, Constraint(kind="speed", scale=0.4)))
        plan = planner_of(Parrot(GOOD)).plan(ASKED, SCENE, history)
        assert set(plan.constraints) == {AVOID_YELLOW, Constraint(kind="speed", scale=0.4)}

    def test_the_fall_back_is_bound_too(self) -> None:
        history = History(SCENE, agreed=(AVOID_YELLOW,))
        plan = planner_of(Parrot(ModelError("down"))).plan(KNOWN, SCENE, history)
        assert plan.steps and plan.constraints == (AVOID_YELLOW,)

    def test_the_executor_remembers_what_was_agreed(self) -> None:
        first = steps("pick red_block", "place_in blue_bowl", rules=['{"kind":"avoid","object":"yellow_block"}'])
        world = World(SCENE)
        world.faults = {("place_in", 0)}
        executor = TaskExecutor(planner_of(Parrot(first, steps("place_in blue_bowl"))), SKILLS, ASKED)
        assert world.drive(executor).outcome == "succeeded"
        assert all(AVOID_YELLOW in rules for _, rules in world.ran) and executor.replans == 1


class TestTasks:
    """Whole tasks, on a table without physics."""

    def test_a_failure_is_told_to_the_model_which_plans_anew(self) -> None:
        world = World(SCENE)
        world.faults = {("pick", 0)}
        model = Parrot(GOOD)
        done = world.drive(TaskExecutor(planner_of(model), SKILLS, ASKED))
        assert done.outcome == "succeeded", done.reason
        assert "pick object red_block: failed: the fingers closed on nothing" in model.prompts[1]

    def test_an_end_that_the_words_do_not_bear_out_is_none(self) -> None:
        world = World(SCENE)
        model = Parrot(steps("pick red_block"), steps("place_in blue_bowl"))
        done = world.drive(TaskExecutor(planner_of(model), SKILLS, KNOWN))
        assert done.outcome == "succeeded" and world.calls[-1] == "place_in(container=blue_bowl)"

    def test_with_a_dead_model_what_is_understood_is_done(self) -> None:
        world = World(SCENE)
        done = world.drive(TaskExecutor(planner_of(Parrot(ModelError("dead"))), SKILLS, KNOWN))
        assert done.outcome == "succeeded"


class TestUnmet:
    """Whether a task is done is seen in the scene."""

    PICK = SkillCall(skill="pick", arguments={"object": "red_block"})
    PLACE = SkillCall(skill="place_in", arguments={"container": "blue_bowl"})

    @pytest.fixture
    def unmet(self) -> Callable[[str, Scene], list[str]]:
        held = at(2.0, held="red_block")
        steps = (StepRecord(self.PICK, True, "", SCENE, held), StepRecord(self.PLACE, True, "", held, at(3.0)))
        planner = planner_of(Parrot(GOOD))
        return lambda instruction, scene: planner.unmet(instruction, scene, History(SCENE, steps))

    def test_effects_of_what_was_done_have_to_last(self, unmet: Callable[[str, Scene], list[str]]) -> None:
        assert unmet(ASKED, tabletop(red_block="in blue_bowl")) == []
        assert unmet(ASKED, tabletop()) == ["red_block is not in blue_bowl"]

    def test_and_the_goals_of_words_that_are_known(self, unmet: Callable[[str, Scene], list[str]]) -> None:
        both = "put the red block and the green block in the bowl"
        assert unmet(both, tabletop(red_block="in blue_bowl")) == ["green_block is not in blue_bowl"]

    def test_where_an_object_is_gone(self, unmet: Callable[[str, Scene], list[str]]) -> None:
        left = scene_of(item for item in SCENE.objects.values() if item.id != "red_block")
        assert unmet(ASKED, left) == ["red_block is not in blue_bowl"]
