/** Upstream: staging/src/k8s.io/kubectl/pkg/describe/describe.go (PrefixWriter and what it prints). */

import type { Taint, Toleration } from "#/api/core/v1.ts";
import { formatLabels } from "#/machinery/meta/format-labels.ts";
import { formatTaint } from "#/machinery/pods/taints.ts";
import { humanDuration } from "#/machinery/time/human-duration.ts";
import { parseTime } from "#/machinery/time/time.ts";
import { goSort } from "#/std/go/go-sort.ts";
import type { Metadata, OwnerReference } from "../../../base/unstructured.ts";
import { lastAppliedAnnotation } from "../../../command/last-applied.ts";
import { escapeTerminal } from "../../../printers/escape-terminal.ts";
import { TabWriter } from "../../../printers/tab-writer.ts";

type StringMap = Readonly<Record<string, string>>;

/** Limit of the length of annotations (bytes): longer ones are truncated, or start on a line of their own. */
const maxAnnotationLength = 140;

/** A writer that aligns columns. */
interface Columns {
  write(text: string): void;
  flush(): void;
}

/** The description of an object, line by line, in columns. */
export class Description {
  readonly now: number;
  readonly #parts: string[] = [];
  readonly #table: Columns;
  readonly #indent: string;

  constructor(now: number, parent?: { readonly table: Columns; readonly indent: string }) {
    this.now = now;
    this.#table =
      parent?.table ??
      new TabWriter((text) => void this.#parts.push(text), {
        minWidth: 0,
        padding: 2,
        remembersWidths: false,
      });
    this.#indent = parent?.indent ?? "";
  }

  /** Adds text at a level of indentation; tabs separate columns. */
  write(level: number, text: string): void {
    this.#table.write(this.#indent + "  ".repeat(level) + escapeTerminal(text));
  }

  /** A line `Name:` and its value. */
  field(level: number, name: string, value: unknown): void {
    this.write(level, `${name}:\t${String(value)}\n`);
  }

  /** Writes the columns so far; the next lines are aligned separately. */
  flush(): void {
    this.#table.flush();
  }

  /** A nested description. */
  nested(level: number): Description {
    return new Description(this.now, {
      table: this.#table,
      indent: this.#indent + "  ".repeat(level),
    });
  }

  text(): string {
    this.#table.flush();
    return this.#parts.join("");
  }

  /** The time since a point in time. */
  since(time: string | null | undefined): string {
    return time ? humanDuration(this.now - parseTime(time)) : "<unknown>";
  }

  /** `key=value` lines below a title. */
  labels(title: string, labels: StringMap | undefined, indent = ""): void {
    const keys = Object.keys(labels ?? {}).sort();
    this.write(0, `${indent}${title}:\t`);
    if (keys.length === 0) {
      this.#line("<none>");
      return;
    }
    for (const [i, key] of keys.entries()) {
      if (i > 0) this.write(0, `${indent}\t`);
      this.write(0, `${key}=${labels?.[key] ?? ""}\n`);
    }
  }

  annotations(title: string, annotations: StringMap | undefined): void {
    const keys = Object.keys(annotations ?? {}).filter((key) => key !== lastAppliedAnnotation);
    this.write(0, `${title}:\t`);
    if (keys.length === 0) {
      this.#line("<none>");
      return;
    }
    for (const [i, key] of keys.sort().entries()) {
      const value = (annotations?.[key] ?? "").replace(/\n$/, "");
      if (i > 0) this.write(0, "\t");
      if (value.length + key.length + 2 <= maxAnnotationLength && !value.includes("\n")) {
        this.write(0, `${key}: ${value}\n`);
        continue;
      }
      this.write(0, `${key}:\n`);
      for (const line of value.split("\n"))
        this.write(0, `\t  ${shorten(line, maxAnnotationLength - 2)}\n`);
    }
  }

  /** Name, namespace, labels and annotations: the beginning of most descriptions. */
  head(metadata: Metadata | undefined, { namespaced = true } = {}): void {
    this.field(0, "Name", metadata?.name ?? "");
    if (namespaced) this.field(0, "Namespace", metadata?.namespace ?? "");
    this.labels("Labels", metadata?.labels);
    this.annotations("Annotations", metadata?.annotations);
  }

  tolerations(title: string, tolerations: readonly Toleration[] | undefined): void {
    const sorted = goSort(tolerations ?? [], (a, b) => (a.key ?? "") < (b.key ?? ""));
    this.write(0, `${title}:\t`);
    if (sorted.length === 0) {
      this.#line("<none>");
      return;
    }
    for (const [i, toleration] of sorted.entries()) {
      if (i > 0) this.write(0, "\t");
      this.write(0, `${tolerationText(toleration)}\n`);
    }
  }

  taints(title: string, taints: readonly Taint[] | undefined): void {
    const key = ({ effect, key: name }: Taint): string => `${effect},${name}`;
    const sorted = goSort(taints ?? [], (a, b) => key(a) < key(b));
    this.write(0, `${title}:\t`);
    if (sorted.length === 0) {
      this.#line("<none>");
      return;
    }
    for (const [i, taint] of sorted.entries()) {
      if (i > 0) this.write(0, "\t");
      this.write(0, `${formatTaint(taint)}\n`);
    }
  }

  #line(text: string): void {
    this.write(0, `${text}\n`);
  }
}

function tolerationText(toleration: Toleration): string {
  const { key = "", value = "", effect = "", operator, tolerationSeconds } = toleration;
  const exists =
    operator === "Exists" && value === ""
      ? `${key === "" && effect === "" ? "" : " "}op=Exists`
      : "";
  return [
    key,
    value === "" ? "" : `=${value}`,
    effect === "" ? "" : `:${effect}`,
    exists,
    tolerationSeconds === undefined ? "" : ` for ${tolerationSeconds}s`,
  ].join("");
}

/** Truncates a text to a number of bytes. */
function shorten(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max)}...` : text;
}

const days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

const two = (value: number): string => String(value).padStart(2, "0");

const clockTime = (date: Date): string =>
  [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":");

/** Offset of local time from UTC: +0100. */
function offsetOf(date: Date): string {
  const minutes = -date.getTimezoneOffset();
  const size = Math.abs(minutes);
  return `${minutes < 0 ? "-" : "+"}${two(Math.trunc(size / 60))}${two(size % 60)}`;
}

/** A local time in the format of mails: Mon, 02 Jan 2006 15:04:05 +0000. */
export function longTime(text: string | null | undefined): string {
  if (!text) return "Mon, 01 Jan 0001 00:00:00 +0000";
  const date = new Date(text);
  const day = `${days[date.getDay()]}, ${two(date.getDate())} ${months[date.getMonth()]} ${date.getFullYear()}`;
  return `${day} ${clockTime(date)} ${offsetOf(date)}`;
}

/** A local time as Go prints it: 2006-01-02 15:04:05 +0000 UTC. */
export function goTime(text: string | null | undefined): string {
  if (!text) return "0001-01-01 00:00:00 +0000 UTC";
  const date = new Date(text);
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const zone = new Intl.DateTimeFormat("en-US", { timeZoneName: "short" })
    .formatToParts(date)
    .find(({ type }) => type === "timeZoneName");
  return `${day} ${clockTime(date)} ${offsetOf(date)} ${zone?.value ?? ""}`;
}

/** The controller, as `ReplicaSet/web`; "" if there is none. */
export function controllerOf(
  metadata: { ownerReferences?: readonly OwnerReference[] } | undefined,
): string {
  const owner = metadata?.ownerReferences?.find(({ controller }) => controller);
  return owner ? `${owner.kind}/${owner.name}` : "";
}

/** A list as Go prints it. */
export function goList(items: readonly unknown[] | undefined): string {
  return `[${(items ?? []).join(" ")}]`;
}

/** Labels in one line. */
export function labelLine(labels: StringMap | undefined): string {
  return formatLabels(labels) || "<none>";
}
