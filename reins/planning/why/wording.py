"""The words of answers, in English and in Chinese: the language of the question is the language of the answer.

Names of objects and skills stay as they are, and so do reasons that the trace quotes.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Final

from reins.contracts.facts import Fact
from reins.contracts.plan import SkillCall
from reins.planning.wording import is_chinese
from reins.planning.words import call_text, fact_text, listed

_END: Final = re.compile(r"[.!?…。！？]$")

ENGLISH: Final[Mapping[str, str]] = {
    "nothing": "nothing has been done yet, so there is nothing to explain",
    "more": "only the question was read; if anything is to be done, say it by itself",
    "unreadable": "I cannot say: {why}",
    "no_step": "there is no step {number}; {count}",
    "count": "{count} ran",
    "none_ran": "none has run",
    "step": "step {number} was {call}",
    "step_for": "step {number} was {call}, so that {facts}, which {later} needs",
    "step_goal": "step {number} was {call}, so that {facts}, as the plan was to bring about",
    "step_own": "step {number} was {call}, for its own sake: nothing else in the plan depends on it",
    "step_aside": "step {number} was {call}, to get the arm out of the way of the cameras",
    "task": "the task was “{instruction}”",
    "task_meant": "the task was “{instruction}”, which I took to mean: {thought}",
    "seen": "the scene showed then that {facts}",
    "because": "it was planned because {why}",
    "held_to": "the plan is held to: {rules}",
    "others": "others hold the robot to: {rules}",
    "doubt": "a doubt was that {doubt}",
    "running": "its end is not known yet",
    "succeeded": "it succeeded",
    "failed": "it failed: {why}",
    "line": "{number}. {call}: {end}",
    "no_steps": "no step has run",
    "before": "before that, {call} had failed: {why}",
    "again": "I planned again because {why}",
    "once": "I planned once and kept to it",
    "full_speed": "nothing in the task asks for less than the full speed; safety may hold the robot back besides",
    "untouched": "{names} must not be touched: the plan for “{instruction}” says so",
    "rule": "somebody has set the rule: {rules}",
    "waits": "the plan waits for an operator's answer",
    "waits_question": "I wait for an operator's answer to my question: {question}",
    "shown": "a plan was shown, and {answer}",
    "shown_question": "I asked: {question} And {answer}",
    "risk": "a person should look at it because {risk}",
    "problem": "the last plan did not pass: {why}",
    "end": "the task “{instruction}” {outcome}: {why}",
    "still": "the task “{instruction}” still runs",
    "end_succeeded": "succeeded",
    "end_failed": "failed",
    "end_refused": "was refused",
    "end_question": "ended with a question",
    "end_cancelled": "was cancelled",
}

CHINESE: Final[Mapping[str, str]] = {
    "nothing": "还没有做过任何事情，所以没有什么可以解释的",
    "more": "只读了这个问题；如果还要做别的事，请单独说",
    "unreadable": "说不上来：{why}",
    "no_step": "没有第{number}步；{count}",
    "count": "一共做了{count}步",
    "none_ran": "一步也没有做",
    "step": "第{number}步是 {call}",
    "step_for": "第{number}步是 {call}，为的是让{facts}，因为后面的 {later} 需要这样",
    "step_goal": "第{number}步是 {call}，为的是让{facts}，这正是计划的目标",
    "step_own": "第{number}步是 {call}，就是为了做它本身，计划里没有别的步骤依赖它",
    "step_aside": "第{number}步是 {call}，为的是让手臂不挡住摄像头",
    "task": "任务是“{instruction}”",
    "task_meant": "任务是“{instruction}”，我的理解是：{thought}",
    "seen": "当时看到：{facts}",
    "because": "之所以这样计划，是因为：{why}",
    "held_to": "计划要遵守：{rules}",
    "others": "别人对机器人的要求：{rules}",
    "doubt": "有一点疑问：{doubt}",
    "running": "还不知道结果",
    "succeeded": "成功了",
    "failed": "失败了：{why}",
    "line": "{number}. {call}：{end}",
    "no_steps": "还没有做任何一步",
    "before": "在那之前，{call} 失败了：{why}",
    "again": "重新计划是因为：{why}",
    "once": "只计划了一次，一直照着做",
    "full_speed": "任务没有要求放慢速度；安全监控也可能让机器人慢下来",
    "untouched": "不能碰 {names}：“{instruction}”的计划里有这一条",
    "rule": "有人定了规则：{rules}",
    "waits": "计划在等操作员答复",
    "waits_question": "我在等操作员回答我的问题：{question}",
    "shown": "计划先给人看过：{answer}",
    "shown_question": "我问过：{question} {answer}",
    "risk": "需要人看一眼，因为：{risk}",
    "problem": "最后一个计划没有通过检查：{why}",
    "end": "任务“{instruction}”{outcome}：{why}",
    "still": "任务“{instruction}”还在进行",
    "end_succeeded": "成功了",
    "end_failed": "失败了",
    "end_refused": "被拒绝了",
    "end_question": "以一个提问结束",
    "end_cancelled": "被取消了",
}

_CHINESE_FACTS: Final[Mapping[str, str]] = {
    "in": "{0} 在 {1} 里",
    "on": "{0} 在 {1} 上",
    "beside": "{0} 在 {1} 旁边",
    "left_of": "{0} 在 {1} 左边",
    "right_of": "{0} 在 {1} 右边",
    "behind": "{0} 在 {1} 后面",
    "in_front_of": "{0} 在 {1} 前面",
    "moved": "{0} 向 {1} 移动了",
    "is": "{0} 的姿势是 {1}",
    "at": "{0} 在 {1} 跟前",
    "holding": "{0} 被夹住",
    "hand_empty": "夹爪是空的",
    "clear": "{0} 上面没有东西",
    "room": "{0} 还有空位",
}


class Words:
    """Says things in one language.

    Args:
        question: whose language it is.
    """

    def __init__(self, question: str) -> None:
        self._is_chinese: Final = is_chinese(question)

    def say(self, key: str, **parts: object) -> str:
        """A clause: the entry of that key with its parts filled in."""
        return (CHINESE if self._is_chinese else ENGLISH)[key].format(**parts)

    def facts(self, facts: Iterable[Fact]) -> str:
        """Facts as a clause."""
        if not self._is_chinese:
            return listed(fact_text(fact) for fact in facts)
        return "，".join(_CHINESE_FACTS.get(fact[0], " ".join(fact)).format(*fact[1:]) for fact in facts)

    def call(self, call: SkillCall) -> str:
        """A call; skills are called by their names in any language."""
        return call_text(call)

    def listed(self, items: Iterable[str]) -> str:
        """Several things."""
        return "、".join(items) if self._is_chinese else listed(items)

    def sentences(self, told: Iterable[str]) -> str:
        """Clauses as sentences; names stay as they are written."""
        kept = [text.strip() for text in told if text.strip()]
        if self._is_chinese:
            return "".join(text if _END.search(text) else f"{text}。" for text in kept)
        begun = [text[0].upper() + text[1:] if text.split()[0].isalpha() else text for text in kept]
        return " ".join(text if _END.search(text) else f"{text}." for text in begun)
