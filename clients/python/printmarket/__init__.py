# SPDX-License-Identifier: Apache-2.0
"""Python client of the printmarket partner APIs. It needs only the standard library.

The models and operations are generated from the published contracts::

    from printmarket import Partner

    partner = Partner("https://api.example.com", "pmk_test_…")
    for product in partner.list_catalog_products()["items"]:
        print(product["catalogProductUid"])
"""
from ._transport import ProblemError
from .partner import Partner
from .preflight import Preflight
from .xjdf import Xjdf

__all__ = ["Partner", "Preflight", "ProblemError", "Xjdf"]
