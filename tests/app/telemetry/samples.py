"""Tests read samples of GET /metrics."""

from fastapi.testclient import TestClient
from prometheus_client.parser import text_string_to_metric_families


def read_sample(client: TestClient, name: str, **labels: str) -> float | None:
    """Return the value of one sample of GET /metrics; None if there is none."""
    for family in text_string_to_metric_families(client.get("/metrics").text):
        for sample in family.samples:
            if sample.name == name and sample.labels == labels:
                return sample.value
    return None
