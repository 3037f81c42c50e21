"""Alias structure of a fractional design, as text and as JSON."""

from typing import Any

from longfat.studies.aliases import alias_chains, named, resolution
from longfat.studies.fraction import Fraction


def fraction_document(fraction: Fraction) -> dict[str, Any]:
    """Return a document with size, resolution, defining relation and aliases.

    Aliases are chains of effects of one or two factors with the same column of signs.
    """
    names, relation = fraction.factors, fraction.relation
    return {
        "factors": len(names),
        "generated": fraction.generated,
        "resolution": resolution(relation),
        "defining_relation": [fraction.word(word) for word in relation],
        "aliases": [
            [named(first, names), *(fraction.alias(first, alias) for alias in others)]
            for first, *others in alias_chains(names, relation)
        ],
    }


def fraction_lines(document: dict[str, Any]) -> list[str]:
    """Return a fraction's document as lines of text."""
    size = f"2^({document['factors']}-{document['generated']})"
    return [
        f"design: {size} of resolution {document['resolution']}",
        f"defining relation: {' = '.join(['I', *document['defining_relation']])}",
        "effects of one or two factors that cannot be told apart:",
        *(f"  {' = '.join(chain)}" for chain in document["aliases"] if len(chain) > 1),
    ]
