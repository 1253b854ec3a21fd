"""RL202: what messages name first, and the command that the help advises."""

from __future__ import annotations

from pathlib import Path

from tests.rules.fixture_cases import run

HARBOUR = """\
import Redis, { Cluster } from 'ioredis';

const redis = new Redis({ host: 'harbour', commandTimeout: 2000 });
const cluster = new Cluster([{ host: 'harbour', port: 7000 }]);

async function moor(ship: string) {
  await redis.sadd('moored', ship);
}

async function tow(ship: string) {
  const berth = await redis.get(`ship:${ship}`);
  if (!berth) {
    await redis.setex(`ship:${ship}`, 600, 'towed');
  }
}

async function berth(quay: string, ship: string) {
  await redis.sadd(`quay:${quay}`, ship);
}

export async function arrive(ships: string[], drafts: Record<string, number>, quays: string[]) {
  for (const ship of ships) {
    await moor(ship);
  }
  for (const ship of ships) {
    await tow(ship);
  }
  for (const quay of quays) {
    await berth(quay, 'pilot');
  }
  for (const ship of ships) {
    await cluster.srem('at-sea', ship);
  }
  for (const ship of ships) {
    await redis.del(`wake:${ship}`);
  }
  for (const [ship, draft] of Object.entries(drafts)) {
    await redis.hset('drafts', ship, draft);
  }
}
"""


def test_the_advice_is_the_command_that_takes_all(tmp_path: Path) -> None:
    (tmp_path / "harbour.ts").write_text(HARBOUR, "utf-8")
    report = run(tmp_path, [tmp_path], {}, "RL202")
    found = sorted(report.results, key=lambda one: one.region.start_line)

    begins = [
        (
            one.message.partition(", and each")[0],
            (one.help or "").partition(", ")[0].replace("for those of one hash slot", "…"),
        )
        for one in found
    ]
    assert begins == [
        ("SADD is sent in the helper `moor()` once for each element of `ships`", "Send all of them with one SADD"),
        (
            "GET, SETEX are sent in the helper `tow()` once for each element of `ships`",
            "Send one MGET for all keys (in a cluster: …)",
        ),
        (
            "SADD is sent in the helper `berth()` once for each element of `quays`",
            "Collect the commands in `pipeline()`",
        ),
        ("SREM is sent once for each element of `ships`", "Send all of them with one SREM"),
        ("DEL is sent once for each element of `ships`", "Send one DEL for all keys (in a cluster: …)"),
        ("HSET is sent once for each element of `Object.entries(drafts)`", "Send all of them with one HSET"),
    ]
