"""Chinese for legged robots, as data: its words, and the sentences of the answers.

Every character is a word here; 的 and measure words that say nothing by themselves are left out like politeness.
"""

from collections.abc import Mapping
from typing import Final

from reins.contracts.scene import PERSON
from reins.planning.phrasebook import Phrases
from reins.planning.walking.language import Kind, Language
from reins.planning.walking.numerals import numeral, split
from reins.planning.wording import Wording

PHRASES: Final[Phrases] = {
    (Kind.VERB, "go"): (
        "走, 去, 来, 跑, 前往, 走去, 走过去, 走过来, 过去, 过来, 回去, 回来, 回, 移动, 移, 平移, 挪, 迈, 小跑, "
        "走动, 靠近, 接近, 走近"
    ),
    (Kind.VERB, "go forward"): "前进, 向前进",
    (Kind.VERB, "go back"): "后退, 倒退, 退, 退后, 往后退, 向后退",
    (Kind.VERB, "turn"): "转, 旋转, 转动, 转弯, 拐, 拐弯, 转向",
    (Kind.VERB, "turn around"): "转身, 转过身, 转过身来, 掉头, 调头, 向后转",
    (Kind.VERB, "follow"): "跟着, 跟随, 跟上, 跟在, 跟住, 尾随, 陪着",
    (Kind.VERB, "look_around"): (
        "环顾四周, 环顾一下四周, 环顾, 环视, 环视四周, 看看四周, 看看周围, 看一看四周, 看一下四周, 看一下周围, "
        "四处看看, 四处看, 看一圈, 转一圈看看, 往四周看, 往四周看看, 向四周看, 向四周看看"
    ),
    (Kind.VERB, "stand"): "站起来, 站起, 起立, 站立, 起来, 起身, 站好",
    (Kind.VERB, "sit"): "坐下, 坐下来, 坐, 坐好, 趴下, 趴下来, 趴, 躺下, 躺下来, 卧下, 蹲下",
    (Kind.VERB, "recover"): "翻身, 翻过身来, 翻过来, 翻身起来, 翻身站起来, 重新站起来",
    (Kind.VERB, "wait"): "等, 等着, 等待, 等候, 等一下, 等一会, 等一会儿, 等等, 暂停, 暂停一下, 停留, 休息, 休息一下",
    (Kind.VERB, "stop"): (
        "停, 停下, 停下来, 停住, 停止, 站住, 别动, 不要动, 站着别动, 站着不动, 立定, 停止前进, 停止后退, 停止移动, "
        "停止行走, 停止走动, 停止跟随, 停止转动, 停止旋转"
    ),
    (Kind.ARTICLE, "the"): "那个, 这个, 那扇, 这扇, 那道, 这道, 那只, 这只, 那块, 这块, 那位, 这位, 那, 这, 该",
    (Kind.ARTICLE, "a"): "一个, 一扇, 一道, 一只, 一块, 一位, 任意一个, 任何一个, 随便一个, 任意一扇, 随便一扇, 某个",
    (Kind.ALL, "all"): "所有, 所有的, 全部, 全部的, 每个, 每一个, 每扇, 每一扇",
    (Kind.NOUN, "box"): "箱子, 盒子, 纸箱, 纸盒, 箱, 盒",
    (Kind.NOUN, "door"): "门, 大门, 门口",
    (Kind.NOUN, "marker"): "标记, 标志, 标识, 标记点, 记号, 垫子, 地垫",
    (Kind.NOUN, PERSON): "那个人, 这个人, 那人, 那个男人, 那个女人, 那位先生, 那位女士, 操作员, 行人",
    (Kind.PEOPLE, PERSON): "人, 人们, 人群, 大家, 所有人, 所有的人, 任何人, 每个人, 别人, 其他人, 人员",
    (Kind.PRONOUN, "it"): "它, 它们, 他, 他们, 她, 她们",
    (Kind.TO, "to"): "到, 到达, 至",
    (Kind.TO, "towards"): "向, 朝, 往, 朝着, 向着, 往着",
    (Kind.AROUND, "around"): "绕过, 绕开, 绕着, 绕, 经过, 路过, 走过",
    (Kind.AROUND, "from"): "从",
    (Kind.PAST, "past"): (
        "旁边走过, 旁边走过去, 旁边经过, 旁边过去, 旁边绕过, 旁边绕过去, 身边走过, 身边走过去, 身边经过, 身边过去, "
        "身边绕过, 身边绕过去, 后面绕过, 后面绕过去, 身后绕过, 身后绕过去, 后面走过, 后面走过去"
    ),
    (Kind.DIRECTION, "left"): (
        "左, 向左, 往左, 朝左, 左边, 向左边, 往左边, 朝左边, 向左侧, 往左侧, 左侧, 向左面, 往左面, 逆时针"
    ),
    (Kind.DIRECTION, "right"): (
        "右, 向右, 往右, 朝右, 右边, 向右边, 往右边, 朝右边, 向右侧, 往右侧, 右侧, 向右面, 往右面, 顺时针"
    ),
    (Kind.DIRECTION, "forward"): "向前, 往前, 朝前, 向前面, 往前面, 朝前面, 向前方, 往前方, 直着, 笔直",
    (Kind.DIRECTION, "back"): "向后, 往后, 朝后, 向后面, 往后面, 朝后面, 向后方, 往后方, 往回, 倒着",
    (Kind.BEHIND, "behind"): "后面, 后边, 身后, 背后, 后方",
    (Kind.AT, "at"): "前",
    (Kind.KEEP, "keep"): "保持, 保持在, 始终保持, 一直保持, 留出, 隔开, 间隔, 相隔, 相距",
    (Kind.AWAY, "away"): "离, 距, 距离",
    (Kind.WITH, "with"): "和, 与, 跟, 同",
    (Kind.FAR, "far"): "远一点, 远点, 远一些, 远些, 远远的, 保持距离, 保持一定距离, 保持安全距离, 保持一定的距离",
    (Kind.AVOID, "avoid"): (
        "避开, 躲开, 避让, 远离, 避免靠近, 避免碰到, 不要靠近, 别靠近, 不能靠近, 不准靠近, 不许靠近, 不可以靠近, "
        "不得靠近, 禁止靠近, 勿靠近, 不要太靠近, 别太靠近, 不要接近, 别接近, 不要走近, 别走近, 不要离, 别离, 不要碰, "
        "别碰, 不要碰到, 别碰到, 不要撞, 别撞, 不要撞到, 别撞到, 不要撞上, 别撞上"
    ),
    (Kind.WITHIN, "within"): "以内, 之内, 少于, 小于",
    (Kind.HALF, "0.5"): "半",
    (Kind.UNIT, "m"): "米, 公尺, m",
    (Kind.UNIT, "cm"): "厘米, 公分, cm",
    (Kind.UNIT, "s"): "秒, 秒钟, s",
    (Kind.UNIT, "min"): "分钟, 分, min",
    (Kind.UNIT, "deg"): "度, °",
    (Kind.UNIT, "circle"): "圈",
    (Kind.ADVERB, "0.5"): (
        "慢慢, 慢慢地, 慢慢的, 慢点, 慢一点, 慢些, 慢速, 慢, 缓慢, 缓慢地, 缓缓, 缓缓地, 小心, 小心地, 小心翼翼地, "
        "小心点, 小心一点, 谨慎, 谨慎地, 轻轻, 轻轻地, 当心"
    ),
    (Kind.ADVERB, "0.3"): (
        "非常慢, 非常慢地, 很慢, 很慢地, 特别慢, 特别慢地, 极慢, 极慢地, 非常缓慢地, 非常小心, 非常小心地"
    ),
    (Kind.NOT, "not"): "不要, 别, 不, 不能, 不准, 不许, 不得, 禁止, 勿",
    (Kind.JOIN, "and"): "\\,, 、, 以及",
    (Kind.LINK, "then"): (
        "然后, 再, 然后再, 接着, 接着再, 随后, 之后, 之后再, 以后, 以后再, 后再, 最后, 最后再, 先, 首先, 并, 并且, "
        "而且, 同时, 但, 但是, 不过, ;, ., 。, !, ?, (, )"
    ),
    (Kind.AFTER, "after"): "后",
    (Kind.FILLER, ""): (
        "请, 请你, 麻烦, 麻烦你, 帮我, 你, 能不能, 能, 可以, 可不可以, 要, 吗, 吧, 了, 就, 一下, 现在, 嘿, 喂, 好, "
        "好的, 机器人, 机器狗, 小狗, 狗, 的, 地, 的那个, 的这个, 的那扇, 的这扇, 的那只, 的那块, 的那位, 那里, 那儿, "
        "那边, 这里, 这边, 处, 旁, 旁边, 边上, 附近, 身边, 前面, 跟前, 面前, 上, 上面, 在, 在那里, 在那儿, "
        "在这里, 原地, 始终, 一直, 总是, 全程, 时刻, 途中, 路上, 至少, 最少, 不少于, 不小于, 以上, 以外, 之外, 开外, "
        "远, 的距离, 太近, 钟, 大约, 大概, 约, 左右, 角, 方向, 的方向, 直接"
    ),
    (Kind.COLOUR, "red"): "红, 红色",
    (Kind.COLOUR, "green"): "绿, 绿色",
    (Kind.COLOUR, "blue"): "蓝, 蓝色",
    (Kind.COLOUR, "yellow"): "黄, 黄色",
    (Kind.COLOUR, "white"): "白, 白色",
    (Kind.COLOUR, "black"): "黑, 黑色",
    (Kind.COLOUR, "orange"): "橙, 橙色, 橘色, 橘黄色",
    (Kind.COLOUR, "purple"): "紫, 紫色",
    (Kind.COLOUR, "violet"): "紫罗兰色",
    (Kind.COLOUR, "pink"): "粉, 粉色, 粉红, 粉红色",
    (Kind.COLOUR, "brown"): "棕, 棕色, 褐色, 咖啡色",
    (Kind.COLOUR, "cyan"): "青, 青色",
    (Kind.COLOUR, "magenta"): "品红, 品红色, 洋红, 洋红色",
    (Kind.COLOUR, "turquoise"): "青绿色, 绿松石色",
    (Kind.COLOUR, "silver"): "银, 银色",
    (Kind.COLOUR, "golden"): "金, 金色",
    (Kind.COLOUR, "grey"): "灰, 灰色",
}
"""Every phrase that is understood on any ground; numbers are `numerals`' own."""

SENTENCES: Final[Mapping[str, str]] = {
    "none": "这里没有“{thing}”；我看到：{seen}",
    "pronoun": "我看到：{seen}；“{thing}”指的是哪一个？",
    "two": "“{thing}”指的是哪两个：{choices}？",
    "which": "“{thing}”指的是哪一个：{choices}？",
    "long": "这条指令有 {count} 个字；我最多读 {most} 个",
    "unknown": "我不认识“{word}”{hint}（我会：{verbs}）",
    "unknown_thing": "我不认识“{word}”{hint}（我看到：{seen}）",
    "unknown_either": "我不认识“{word}”{hint}（我会：{verbs}；我看到：{seen}）",
    "hint": "，是“{phrase}”吗？",
    "unexpected": "我不明白这里的“{word}”；这里应该是{wanted}",
    "end": "句末",
    "link": "“然后”，或者句末",
    "verb": "一个动作（{verbs}）",
    "name": "一样东西的名字（我看到：{seen}）",
    "away": "要离开的东西，比如“离人一米远”",
    "length": "长度（米或厘米）",
    "time": "时间（秒或分钟）",
    "angle": "角度（度）",
    "not": "“{word}”：不要做的事，我只懂不要靠近什么",
    "nothing": "这条指令没有说要做什么；我会：{verbs}",
    "only_away": "我会避开。那我要做什么？",
    "both": "不能既走到 {thing}，又避开它",
    "one": "请一次说一个。先去哪一个：{choices}？",
    "either": "“{verb}”可以到 {thing}，也可以朝一个方向，但不能同时",
    "past": "绕过 {things} 到哪里？",
    "where": "“{verb}”到哪里：到一样东西那里，还是朝哪个方向走多远？",
    "whom": "“{verb}”谁？我看到：{seen}",
    "forward": "向前",
    "back": "向后",
    "turns": "“{verb}”可以向左、向右或者转身，不能{direction}",
    "which_way": "“{verb}”往哪边：左、右，还是转身？",
    "range": "{name}是 {value}；必须在 {lower} 到 {upper} {unit} 之间",
    "parameter_x": "前后距离",
    "parameter_y": "左右距离",
    "parameter_angle": "角度",
    "parameter_duration": "时间",
    "person": "“{thing}”是 {label}，不是人",
    "wanted": "要做：{calls}",
    "then": "，然后 ",
    "avoid": "；避开 {thing}",
    "keep": "；与 {thing} 保持 {distance:g} 米",
    "speed": "；速度是全速的 {scale:.0%}",
}
"""What is said of instructions, by key."""

CHINESE: Final = Language(
    phrases=PHRASES,
    verbs=("走到", "转", "跟着", "环顾四周", "站起来", "坐下", "翻身", "等", "停下"),
    walk="走",
    wording=Wording(SENTENCES, comma="、", last_and="、", last_or=" 或 ", nothing="什么也没有"),
    split=split,
    numeral=numeral,
    joint="",
    leading=frozenset({Kind.AROUND, Kind.TO, Kind.DIRECTION, Kind.AWAY, Kind.WITH}),
    idle=frozenset({"走", "去", "来", "过去", "过来", "移动", "走过去", "走过来", "跑"}),
    tenths=frozenset({"m"}),
)
