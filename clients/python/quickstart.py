# SPDX-License-Identifier: Apache-2.0
"""Requests quotes and preflights a PDF in the sandbox. Run it against ``make run``::

    set -a; . ../../.printmarket/dev.env; set +a
    python3 quickstart.py
"""
import os
import time
import uuid

from printmarket import Partner, Preflight, ProblemError

base_url, key = os.environ["PRINTMARKET_API_URL"], os.environ["PRINTMARKET_ACME_TEST_KEY"]
partner, preflight = Partner(base_url, key), Preflight(base_url, key)

# In the sandbox, two simulated suppliers quote this product at once.
created = partner.create_rfq({
    "catalogProductUid": "sim:rfq:quoted",
    "category": "commercial-print",
    "title": "Spring flyers",
    "quantity": 5000,
    "deliveryCity": "Utrecht",
}, idempotency_key=str(uuid.uuid4()))
for quote in partner.list_quotes(created["id"])["items"]:
    print(f"quote: {quote['supplier']['displayName']} {quote['total']['amount']} {quote['total']['currency']}")

job = preflight.submit_preflight({
    "fileUrl": os.environ["PRINTMARKET_DASHBOARD_URL"] + "/files/sample.pdf",
    "profile": "print_ready",
})
while job["status"] in ("queued", "processing"):
    time.sleep(0.5)
    job = preflight.get_preflight(job["jobId"])
print(f"preflight: {job['status']}, verdict {job.get('result', {}).get('verdict', 'none')}")

# Estimates are disabled: a problem with a stable code describes what to do.
try:
    partner.create_estimate({})
except ProblemError as error:
    print(f"estimate: {error.status} {error.code}")
