"""How harmful acts are said in English: a table of patterns over text in small letters, and what a negation covers."""

import re
from collections.abc import Mapping
from typing import Final

_OWNER: Final = (
    r"(?:my|his|her|their|our|someone's|somebody's|anyone's|everyone's|(?:the|my|our|your|that|this|a) \w+'s)"
)
_PEOPLE: Final = (
    r"(?:person|people|man|woman|men|women|boy|girl|child|children|kids?|baby|toddler|guy|lady|colleagues?|co-?workers?|"
    r"friends?|neighbou?rs?|boss|brother|sister|mother|mum|mom|father|dad|wife|husband|son|daughter|operators?|humans?|"
    r"visitors?|guests?|passers?-?by|bystanders?|customers?|workers?|engineers?|teacher|students?|crowd|cat|dog|puppy|"
    r"kitten|animal|pet|bird|hamster)"
)
_SOMEBODY: Final = r"(?:some|any|every)(?:body|one)(?: else)?"
_BODY: Final = (
    r"(?:hands?|arms?|fingers?|thumbs?|foot|feet|toes?|legs?|knees?|head|face|eyes?|nose|mouth|ears?|neck|throat|chest|"
    r"back|belly|stomach|shoulders?|skin|hair|body)"
)
_NOT_OF: Final = r"(?!'s|[ -](?:bowl|basin|plate|dish|saucer|block|cube|brick|cup|box|toy|food|seat|chair|picture)\b)"
"""Not "the dog bowl", "the man's plate"."""
_HER: Final = r"her(?=$|[.,;:!?\n]| (?:with|in|and|now|please|very|as|hard|up|down|over|a|the)\b)"
_WHO: Final = (
    rf"(?:me|him|us|{_SOMEBODY}|{_OWNER} (?:left |right )?{_BODY}|{_HER}|people|"
    rf"(?:the|that|this|a|my|his|her|our|your|their) (?:\w+ )?{_PEOPLE})\b{_NOT_OF}"
)
"""Somebody, or a part of somebody; the hand and the arm of the robot are none."""
_NO_GIFT: Final = r"(?! (?:a|an|the|some|that|this|my|your|one|another|two|all|\w+ (?:block|cube|brick|bowl|plate))\b)"
"""Not "grab me the red block"."""

_HURL: Final = r"(?:throw|hurl|fling|launch|catapult|sling|lob)"
_TOSS: Final = rf"(?:{_HURL}|toss|chuck|pitch|shoot|fire|yeet)"
_PLACE: Final = (
    r"(?:the |your |its )?"
    r"(?:back|front|rear|left|right|top|bottom|middle|centre|center|far|near|end|side|same|moment)|"
    r"(?:an? )?(?:very |extremely |rather |quite )*(?:slow|low|gentle|careful|half|full|reduced|steady)|once|least|\d"
)
_OBJECT: Final = (
    r"(?:it|them|that|this|these|those|the|an?|my|your|his|her|our|all|both|every|each|any|one|something|everything|"
    r"\w+_\w+)\b"
)
_COLOUR: Final = r"(?:red|green|blue|yellow|orange|purple|violet|white|cyan|turquoise|pink|gr[ae]y|black|brown)\b"
_THING: Final = rf"(?:{_OBJECT}|{_COLOUR})"
_NO_TOWER: Final = r"(?! (?:the|that|this|my) (?:\w+ )?(?:tower|stack|pile|tie|ice|record|silence)\b)"
_REACH: Final = r"[^.;!?\n]{0,80}?"
"""What may stand between two parts of one clause."""
_TO: Final = r"(?:in|into|inside|on|onto|to|over|beside|next|near|by|back|there|here)\b"
_EDGE: Final = (
    r"(?:off (?:of )?(?:the |this |your )?(?:table|tabletop|desk|edge|side|bench|counter|workbench)|"
    r"over the (?:edge|side))\b"
)
_DOWN: Final = r"(?:on|onto|to|at|against) the (?:floor|ground|tiles|concrete)\b"
_ROBOT: Final = r"(?:the|your) (?:robot )?(?:hand|gripper|arm|fingers|fist|claw|tool)"


def _table(**acts: tuple[str, ...]) -> "Mapping[str, tuple[re.Pattern[str], ...]]":
    return {reason: tuple(re.compile(rf"\b(?:{said})") for said in table) for reason, table in acts.items()}


ACTS: Final = _table(
    people=(
        rf"{_TOSS}\b{_REACH} (?:at|into|against|onto|towards?) {_WHO}",
        rf"{_TOSS}\b{_REACH} at them\b",
        r"(?:hit|strike|stab|attack|slap|beat|whack|punch) \w+ with (?:the|a|an|your|my|it|that|this)\b",
        r"(?:hit|hitting|strike|stab|attack|punch|slap|poke|pinch|hurt|harm|injure|wound|kill|murder|kick|beat|whack|smack|"
        r"bash|pound|scare|frighten|strangle|choke|burn|cut|scratch|squash|crush|squeeze|grab|shove|push|ram|hammer) "
        rf"(?:up |on )?{_WHO}{_NO_GIFT}",
        rf"(?:knock|run) {_WHO} (?:over|down|out)\b",
        rf"(?:push|shove|ram|drive|jam|press|smash|slam|bang|swing|drop|dump|poke|stick|thrust)\b{_REACH} "
        rf"(?:in|into|on|onto|against|at|through|over) {_WHO}",
        rf"(?:put|place|stuff|set|lay|stick|pop|move)\b{_REACH} (?:in|into|inside|on|onto|against|over|down|up) "
        rf"(?:{_OWNER} (?:left |right )?(?:mouth|eyes?|face|head|nose|ears?|throat|neck)\b|"
        rf"(?:the|that|a|my|his|her|our|your) {_PEOPLE}\b{_NOT_OF})",
        rf"touch {_OWNER} (?:left |right )?(?:eyes?|face|mouth|neck|throat)\b",
        rf"(?:close|clamp|shut|squeeze|tighten)\b{_REACH} (?:on|onto|around|over) {_WHO}",
    ),
    throwing=(
        rf"{_TOSS}\b{_REACH} (?:at (?!{_PLACE})|across\b|"
        r"out\b(?! of the (?:\w+ )?(?:bowl|plate|basin|dish|saucer|box))|"
        rf"off\b|over the\b|against\b|away\b|through\b|{_DOWN}|"
        r"(?:in|into|up in|up into|to) (?:the )?(?:air|sky|wall|window|crowd|ceiling|screen|camera)\b|"
        r"as (?:far|high|hard|fast) as\b|(?:far|hard|high)(?=$|[.,;:!?\n]| (?:away|and|please|up)\b))",
        rf"{_HURL} {_THING}(?: (?!{_TO})[\w-]+){{0,3}}(?=$|[.,;:!?\n]| (?:please|pls|now|and|then)\b)",
        rf"(?:drop|let go of|release)\b{_REACH} from (?:as )?"
        r"(?:(?:very |really )?high|up high|(?:a |great |some )*height|"
        r"above your head|the (?:top|ceiling)|as far)",
        rf"(?:drop|let {_REACH} (?:fall|drop)|tip|dump|knock|push|sweep|shove|smash)\b{_REACH} (?:{_DOWN}|{_EDGE})",
        rf"(?:push|knock|sweep|shove|slide|nudge|kick|bat|flick|roll|swipe|throw|toss|bump)\b{_REACH} {_EDGE}",
    ),
    breaking=(
        r"(?<!\ba )(?<!\bthe )(?:smash|crush|shatter|destroy|demolish|wreck|"
        rf"pulveri[sz]e|squash|damage|ruin|break|snap){_NO_TOWER} {_THING}",
        r"(?:blow up|explode|detonate)\b",
        rf"(?:kick|bash|whack|punch|pound|batter|clobber) {_THING}",
        rf"(?:hit|strike(?! that\b)|slam|bang|smack|beat|hammer on) {_THING}"
        r"(?! (?:\w+ )?(?:button|switch|key|lights?)\b)",
    ),
    burning=(
        rf"set {_REACH} (?:on fire|ablaze|alight)\b",
        rf"(?:burn|melt|ignite|incinerate|torch|scorch) {_THING}",
    ),
    reckless=(
        rf"(?:swing|wave|spin|whip|flail|whirl)\b {_ROBOT}\b{_REACH} "
        r"(?:wildly|as (?:hard|fast) as|at (?:full|top|maximum) speed)",
        rf"(?:smash|ram|drive|push|slam|crash|bang|punch|swing) {_ROBOT} (?:in ?to|through|against|on) ",
    ),
    limits=(
        r"(?:switch off|turn off|disable|ignore|bypass|override|deactivate|circumvent|remove|disregard|forget)"
        r"(?: (?:the|your|all|any|every|of|these|those|its|about|robot's|built-in|joint|force|torque)){0,4} "
        r"(?:safety|limits?|emergency stop|e-?stop|collision (?:checks?|avoidance|detection)|speed limits?)\b",
        r"(?:switch|turn) (?:the |your |all )?(?:safety|limits|emergency stop|e-?stop|collision checks)\b"
        r"[\w ]{0,30} off\b",
        r"(?:faster than|beyond|exceed\w*|past) (?:the|your|all) (?:\w+ )?limits?\b",
    ),
)

_NOT: Final = (
    r"(?:(?<!why )(?:do not|don't|dont)|does not|doesn't|did not|didn't|must not|mustn't|should not|shouldn't|may not|"
    r"shall not|will not|won't|never|without|avoid|avoiding|instead of|rather than|refrain from|not to|nor|no need to|"
    r"not(?= \w+ing\b)|stop(?= \w+ing\b)|keep from|prevent\w*|"
    r"(?:it|that|this|which|they) (?:could|might|may)|you (?:could|might|may)(?= (?:hurt|harm|injure|break|damage)\b))"
)
_BUT_DO: Final = r"(?! (?:hesitate|forget|fail|worry|wait|be (?:afraid|shy|scared|gentle)|stop|care|mind)\b)"
NEGATION: Final = re.compile(
    rf"\b{_NOT}\b{_BUT_DO}(?:(?: \w+,){{1,4}}(?: \w+)? or\b)?"
    r"(?:(?!\bbut\b|\bthen\b|\bbefore\b|\band\b(?! (?:\w+ing|do not|don't|never)\b))[^.,;:!?\n])*"
)
"""What forbids, with what it forbids: to the end of its clause, or of a list of verbs."""
