import assert from "node:assert/strict";
import { test } from "node:test";
import { flagSections, flagUsage } from "./flag-usage.ts";
import type { FlagSet } from "./flags.ts";

const flags = {
  name: {
    type: "string",
    shorthand: "n",
    default: "dflt",
    help: "The `name` of the thing, which may be rather long, so that the text has to be wrapped somewhere.",
  },
  all: { type: "bool", shorthand: "a", help: "If true, all of them." },
  count: { type: "int", shorthand: "c", default: 3, help: "How many.\nSecond line of the text." },
  list: { type: "stringSlice", default: ["q", "r s"], help: "A list." },
  map: { type: "stringToString", help: "A map." },
  wait: { type: "duration", default: 60_000, help: "How long." },
  "no-wait": { type: "duration", help: "How long." },
  ip: { type: "ip", default: "1.2.3.4", help: "An IP." },
  verbose: { type: "count", shorthand: "V", help: "More." },
  "dry-run": { type: "string", default: "none", bare: "unchanged", help: "Dry." },
  old: { type: "string", help: "Old one.", deprecated: "use --new" },
  secret: { type: "string", help: "no", hidden: true },
} satisfies FlagSet;

test("flagUsage() prints as pflag does", () => {
  assert.equal(
    flagUsage(flags),
    `\
  -a, --all                            If true, all of them.
  -c, --count int                      How many.
                                       Second line of the text. (default 3)
      --dry-run string[="unchanged"]   Dry. (default "none")
      --ip ip                          An IP. (default 1.2.3.4)
      --list strings                   A list. (default [q,r s])
      --map stringToString             A map. (default [])
  -n, --name name                      The name of the thing, which may be rather long, so that the text has to be wrapped somewhere. (default "dflt")
      --no-wait duration               How long.
  -V, --verbose count                  More.
      --wait duration                  How long. (default 1m0s)
`,
  );
});

test("flagUsage() wraps as pflag wraps", () => {
  const { name, count } = flags;
  assert.equal(
    flagUsage({ name, count }, { columns: 60 }),
    `\
  -c, --count int   How many.
                    Second line of the text. (default 3)
  -n, --name name   The name of the thing, which may
                    be rather long, so that the text
                    has to be wrapped somewhere.
                    (default "dflt")
`,
  );
});

test("flagUsage() puts texts below the names if there is no room beside them", () => {
  const { name } = flags;
  assert.equal(
    flagUsage({ name }, { columns: 42 }),
    `\
  -n, --name name   ${""}
                The name of the
                thing, which may be
                rather long, so that
                the text has to be
                wrapped somewhere.
                (default "dflt")
`,
  );
});

test("flagSections() titles each set, with texts below names", () => {
  const { all, name } = flags;
  const sections = [
    { title: "generic", flags: { all } },
    { title: "empty", flags: {} },
    { title: "misc", flags: { name } },
  ];
  assert.equal(
    flagSections(sections, 60),
    `
Generic flags:

  -a, --all                                        ${""}
                If true, all of them.

Misc flags:

  -n, --name name                                  ${""}
                The name of the thing, which may be
                rather long, so that the text has to
                be wrapped somewhere. (default "dflt")
`,
  );
});
