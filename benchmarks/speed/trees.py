"""Generated trees: as large as wanted, the same every time, with text like that of real services.

Every service has 200 files of one language, in ten folders; three of them name Redis (1.5 %): a module that makes the
client, and two that use it. The rest is classes of a few kilobytes that import each other.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from string import Template

SERVICE_FILES = 200
FOLDERS = ("api", "billing", "catalog", "delivery", "events", "ledger", "models", "queue", "search", "shared")
REDIS_FILES = (0, 71, 142)
"""Which files of a service name Redis: the first makes the client."""
LANGUAGES = ("python", "python", "typescript", "java")
SUFFIXES: Mapping[str, str] = {"python": ".py", "typescript": ".ts", "java": ".java"}
NOUNS = (
    "Account", "Address", "Article", "Basket", "Branch", "Carrier", "Claim", "Contract", "Coupon", "Customer", "Depot",
    "Device", "Discount", "Document", "Driver", "Figure", "Invoice", "Journey", "Label", "Licence", "Message", "Notice",
    "Order", "Parcel", "Payment", "Permit", "Policy", "Price", "Product", "Receipt", "Refund", "Region", "Report",
    "Schedule", "Seller", "Session", "Shipment", "Station", "Supplier", "Tariff", "Tenant", "Ticket", "Voucher",
)  # fmt: skip
KINDS = ("Archive", "Builder", "Checker", "Importer", "Index", "Ledger", "Mapper", "Planner", "Reader", "Service")

_HEADS: Mapping[str, Template] = {
    "python": Template('''"""$Noun${kind}: keeps ${noun}s of one region together, and tells what became of them."""

from __future__ import annotations

import datetime
import logging
from collections.abc import Iterable, Mapping
from decimal import Decimal

from service_$service.$neighbour import ${Other}Entry

log = logging.getLogger(__name__)


class ${Noun}Entry:
    def __init__(self, number: int, at: datetime.datetime, amount: Decimal) -> None:
        self.number, self.at, self.amount = number, at, amount


class $Noun$kind:
    """All ${noun}s that were seen since the last closing, by their number."""

    def __init__(self, region: str, limit: int = $limit) -> None:
        self.region, self.limit = region, limit
        self.entries: dict[int, ${Noun}Entry] = {}
'''),
    "typescript": Template('''/** $Noun$kind: keeps ${noun}s of one region together, and tells what became of them. */
import { randomUUID } from 'node:crypto';

import type { ${Other}Entry } from './$neighbour';

export interface ${Noun}Entry {
  readonly number: number;
  readonly at: Date;
  readonly amount: bigint;
}

/** All ${noun}s that were seen since the last closing, by their number. */
export class $Noun$kind {
  private readonly entries = new Map<number, ${Noun}Entry>();
  private readonly id = randomUUID();

  constructor(
    readonly region: string,
    private readonly limit = $limit,
  ) {}
'''),
    "java": Template('''package service_$service.$folder;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service_$service.$neighbour;

/** $Noun$kind: keeps ${noun}s of one region together, and tells what became of them. */
public class $name {
    private static final Logger log = LoggerFactory.getLogger($name.class);
    private final Map<Integer, Entry> entries = new HashMap<>();
    private final String region;
    private final int limit = $limit;

    public $name(String region) {
        this.region = region;
    }

    public record Entry(int number, Instant at, BigDecimal amount) {}
'''),
}  # fmt: skip

_METHODS: Mapping[str, tuple[Template, ...]] = {
    "python": (
        Template('''
    def add_$noun(self, entry: ${Noun}Entry) -> bool:
        """Whether there was room for it."""
        if len(self.entries) >= self.limit or entry.number in self.entries:
            log.warning("$noun %d of %s was left out", entry.number, self.region)
            return False
        self.entries[entry.number] = entry
        return True
'''),
        Template('''
    def total_of_${noun}s(self, since: datetime.datetime) -> Decimal:
        chosen = [each.amount for each in self.entries.values() if each.at >= since]
        return sum(chosen, Decimal(0)).quantize(Decimal("0.01"))
'''),
        Template('''
    def merge_$noun(self, others: Iterable[${Other}Entry], rates: Mapping[str, Decimal]) -> int:
        merged = 0
        for other in others:
            try:
                amount = other.amount * rates[self.region]
            except KeyError as error:
                raise ValueError(f"no rate for {self.region}: {sorted(rates)}") from error
            if amount > 0 and other.number not in self.entries:
                self.entries[other.number] = ${Noun}Entry(other.number, other.at, amount)
                merged += 1
        return merged
'''),
        Template('''
    def close_$noun(self, number: int, *, reason: str = "done") -> None:
        entry = self.entries.pop(number, None)
        while entry is None and number > 0:
            number -= 1
            entry = self.entries.pop(number, None)
        log.info("%s: $noun %d closed (%s)", self.region, number, reason)
'''),
    ),
    "typescript": (
        Template('''
  add$Noun(entry: ${Noun}Entry): boolean {
    if (this.entries.size >= this.limit || this.entries.has(entry.number)) {
      console.warn(`$noun $${entry.number} of $${this.region} was left out`);
      return false;
    }
    this.entries.set(entry.number, entry);
    return true;
  }
'''),
        Template('''
  totalOf${Noun}s(since: Date): bigint {
    return [...this.entries.values()]
      .filter((each) => each.at >= since)
      .reduce((sum, each) => sum + each.amount, 0n);
  }
'''),
        Template('''
  async merge$Noun(others: AsyncIterable<${Other}Entry>, rates: Record<string, bigint>): Promise<number> {
    let merged = 0;
    for await (const other of others) {
      const rate = rates[this.region];
      if (rate === undefined) {
        throw new Error(`no rate for $${this.region} in $${this.id}`);
      }
      if (!this.entries.has(other.number)) {
        this.entries.set(other.number, { ...other, amount: other.amount * rate });
        merged += 1;
      }
    }
    return merged;
  }
'''),
    ),
    "java": (
        Template('''
    public boolean add$Noun(Entry entry) {
        if (entries.size() >= limit || entries.containsKey(entry.number())) {
            log.warn("$noun {} of {} was left out", entry.number(), region);
            return false;
        }
        entries.put(entry.number(), entry);
        return true;
    }
'''),
        Template('''
    public BigDecimal totalOf${Noun}s(Instant since) {
        return entries.values().stream()
                .filter(each -> !each.at().isBefore(since))
                .map(Entry::amount)
                .reduce(BigDecimal.ZERO, BigDecimal::add);
    }
'''),
        Template('''
    public List<Entry> close$Noun(List<Integer> numbers, String reason) {
        List<Entry> closed = new ArrayList<>();
        for (int number : numbers) {
            Entry entry = entries.remove(number);
            if (entry == null) {
                throw new IllegalStateException("no $noun " + number + " in " + region + ": " + reason);
            }
            closed.add(entry);
        }
        return closed;
    }
'''),
    ),
}  # fmt: skip
_TAILS: Mapping[str, str] = {"python": "", "typescript": "}\n", "java": "}\n"}

_REDIS: Mapping[str, tuple[Template, Template]] = {
    "python": (
        Template('''"""The connection of this service."""

import redis

client = redis.Redis(host="$noun-cache", socket_timeout=5, max_connections=40)
'''),
        Template('''"""The queue of ${noun}s, and who waits for one; kept in Redis."""

from service_$service.$first import client


def next_$noun() -> bytes | None:
    reply = client.blpop("${noun}s:waiting", timeout=30)
    return reply[1] if reply else None


def seen(user: str, at: int) -> None:
    client.hset("$noun:seen", user, at)


def all_seen() -> dict[bytes, bytes]:
    return client.hgetall("$noun:seen")


def prices(numbers: list[int]) -> list[bytes]:
    batch = client.pipeline()
    for number in numbers:
        batch.get(f"$noun:{number}:price")
    return batch.execute()
'''),
    ),
    "typescript": (
        Template('''/** The connection of this service. */
import Redis from 'ioredis';

export const client = new Redis({ host: '$noun-cache', commandTimeout: 5000 });
'''),
        Template('''/** The queue of ${noun}s, and who waits for one; kept in Redis. */
import { client } from '../$first';

export async function next$Noun(): Promise<string | undefined> {
  const reply = await client.blpop('${noun}s:waiting', 30);
  return reply?.[1];
}

export async function seen(user: string, at: number): Promise<void> {
  await client.hset('$noun:seen', user, at);
}

export async function allSeen(): Promise<Record<string, string>> {
  return client.hgetall('$noun:seen');
}
'''),
    ),
    "java": (
        Template('''package service_$service.$folder;

import redis.clients.jedis.JedisPool;

/** The connections of this service. */
public final class $name {
    public static final JedisPool POOL = new JedisPool("$noun-cache", 6379);

    private $name() {}
}
'''),
        Template('''package service_$service.$folder;

import java.util.List;
import java.util.Map;
import redis.clients.jedis.Jedis;
import service_$service.$first;

/** The queue of ${noun}s, and who waits for one. */
public class $name {
    public List<String> next() {
        try (Jedis jedis = $first_name.POOL.getResource()) {
            return jedis.blpop(0, "${noun}s:waiting");
        }
    }

    public void seen(String user, long at) {
        try (Jedis jedis = $first_name.POOL.getResource()) {
            jedis.hset("$noun:seen", user, Long.toString(at));
        }
    }

    public Map<String, String> allSeen() {
        try (Jedis jedis = $first_name.POOL.getResource()) {
            return jedis.hgetAll("$noun:seen");
        }
    }
}
'''),
    ),
}  # fmt: skip


def grow(root: Path, present: int, files: int) -> int:
    """Write the files with numbers `present` up to `files`; how many bytes they have together."""
    size = 0
    for number in range(present, files):
        path, text = root / path_of(number), text_of(number)
        if number % SERVICE_FILES < len(FOLDERS):
            path.parent.mkdir(parents=True, exist_ok=True)
        data = text.encode()
        path.write_bytes(data)
        size += len(data)
    return size


def naming(files: int) -> int:
    """How many of so many files name Redis."""
    return sum(number % SERVICE_FILES in REDIS_FILES for number in range(files))


def path_of(number: int) -> str:
    """`service_0007/shared/order_ledger_1409.py`; Java's name is that of the class."""
    names = _names(number)
    return f"service_{names['service']}/{names['folder']}/{names['name']}{SUFFIXES[_language(number)]}"


def text_of(number: int) -> str:
    language, names, chance = _language(number), _names(number), random.Random(number)
    if number % SERVICE_FILES in REDIS_FILES:
        makes, uses = _REDIS[language]
        return (makes if number % SERVICE_FILES == 0 else uses).substitute(names)
    return _HEADS[language].substitute(names) + "".join(_methods(language, names, chance)) + _TAILS[language]


def _methods(language: str, names: dict[str, str], chance: random.Random) -> Iterator[str]:
    for noun in chance.sample(NOUNS, chance.randint(4, 12)):
        yield chance.choice(_METHODS[language]).substitute(names, Noun=noun, noun=noun.lower(), Other=names["Other"])


def _language(number: int) -> str:
    return LANGUAGES[number // SERVICE_FILES % len(LANGUAGES)]


def _names(number: int) -> dict[str, str]:
    service, within = divmod(number, SERVICE_FILES)
    first, other = service * SERVICE_FILES, service * SERVICE_FILES + (within * 7 + 1) % SERVICE_FILES
    noun, neighbour = _noun(number), _dotted(other)
    language = _language(number)
    return {
        "service": f"{service:04}",
        "folder": _folder(number),
        "name": _name(number),
        "Noun": noun,
        "noun": noun.lower(),
        "kind": KINDS[number // len(NOUNS) % len(KINDS)],
        "limit": str(100 + number % 900),
        "Other": _noun(other),
        "neighbour": _name(other) if language == "typescript" else neighbour,
        "first": f"{_folder(first)}/{_name(first)}" if language == "typescript" else _dotted(first),
        "first_name": _name(first),
    }


def _dotted(number: int) -> str:
    return f"{_folder(number)}.{_name(number)}"


def _folder(number: int) -> str:
    return FOLDERS[number % len(FOLDERS)]


def _noun(number: int) -> str:
    return NOUNS[number % len(NOUNS)]


def _name(number: int) -> str:
    noun, kind = _noun(number), KINDS[number // len(NOUNS) % len(KINDS)]
    if _language(number) == "java":
        return f"{noun}{kind}{number}"
    return f"{noun.lower()}_{kind.lower()}_{number}"
