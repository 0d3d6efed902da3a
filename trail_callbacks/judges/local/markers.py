"""The words that a meaning turns on, by what they do. English."""

from __future__ import annotations

from trail_callbacks.language.terms import vocabulary

DENIALS = vocabulary("not no never neither nor none nobody nothing without cannot hardly barely scarcely")
POSSIBLE = vocabulary("may might could possibly perhaps maybe probably likely presumably potentially seem seems seemed")
PLANS = vocabulary(
    """hope hopes hoped want wants wanted intend intends intended plan plans planned consider considers considering
    aims expect expects expected propose proposes proposed estimate estimates suspect suspects wish wishes mean means
    meant ask asks asked planning hoping intending expecting proposing"""
)
SOME = vocabulary(
    """some most many several few half part partly mostly mainly usually normally generally typically often sometimes
    nearly almost occasionally largely"""
)
ALL = vocabulary("all every each always entire whole both everyone everything")
CONDITIONS = vocabulary("unless except if provided subject save excluding")
VIEWS = vocabulary(
    """believes believe believed thinks think thought argues argue argued opinion view reckons feels considers claims
    claimed"""
)
REPORTS = vocabulary("said says told according remarked wrote writes reportedly allegedly")
LIMITS = vocabulary("only just up least until before after although though but however because since whether than")
TURNING = vocabulary("over under above below against between into from")
"""Words of place and measure that change a meaning; they count as paired or not, but never as content."""
MARKERS = (
    DENIALS
    | POSSIBLE
    | ALL
    | LIMITS
    | vocabulary(
        """can would should must will shall possible unlikely apparently reportedly allegedly appears appear appeared
        expected expects plans planned intends hopes hoped considering estimated believed thought supposedly proposed
        provisional draft about around roughly approximately some several many most few more less fewer any either half
        usually normally generally typically often sometimes mostly mainly largely partly nearly almost
        unless except if provided when whenever where while besides excluding including otherwise instead save"""
    )
) - vocabulary("likely seem seems seemed up least")
VOICES = (
    VIEWS
    | REPORTS
    | POSSIBLE
    | vocabulary(
        """say call calls called alleged report reports reported suggest suggests suggested predict predicts predicted
        predictions consider views opinions feel felt describe describes described insist insists insisted expect
        expects expected complains complained praised remarks noted notes doubts hopes hope fears seen seems supposed
        supposedly apparently apparent mention mentions mentioned announced based estimate estimates estimated presumed
        rumoured quote quoted regard regards regarded critic critics accuses accused accusations speculated"""
    )
)
"""Words by which a claim says whose view it gives, or that it is one."""
