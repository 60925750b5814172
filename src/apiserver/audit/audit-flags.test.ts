import assert from "node:assert/strict";
import { test } from "node:test";
import { parseFlags } from "#/std/flags/flags.ts";
import { apiServerFlags } from "../flags/index.ts";
import { checkAuditFlags } from "./audit-flags.ts";

const log = "--audit-log-path=-";
const webhook = "--audit-webhook-config-file=x";

const cases: readonly { readonly args: readonly string[]; readonly message?: string }[] = [
  { args: [] },
  { args: [log, webhook] },
  { args: ["--audit-log-mode=x"] },
  {
    args: [log, "--audit-log-mode=x"],
    message: 'invalid audit log mode x, allowed modes are "batch,blocking,blocking-strict"',
  },
  {
    args: [log, "--audit-log-format=x"],
    message: 'invalid audit log format x, allowed formats are "legacy,json"',
  },
  {
    args: [log, "--audit-log-maxage=-1"],
    message: "--audit-log-maxage -1 can't be a negative number",
  },
  {
    args: [webhook, "--audit-webhook-version=audit.k8s.io/v2"],
    message: 'invalid group version, allowed versions are ["audit.k8s.io/v1"]',
  },
  {
    args: [webhook, "--audit-webhook-batch-buffer-size=0"],
    message: "invalid audit batch webhook buffer size 0, must be a positive number",
  },
  { args: [log, "--audit-log-batch-buffer-size=0"] },
  {
    args: [log, "--audit-log-mode=batch", "--audit-log-batch-throttle-enable"],
    message: "invalid audit batch log throttle QPS 0, must be a positive number",
  },
  {
    args: [log, "--audit-log-truncate-enabled", "--audit-log-truncate-max-batch-size=1"],
    message:
      "invalid audit truncate log max batch size 1, must be greater than max event size (102400)",
  },
];

for (const { args, message } of cases) {
  test(`checkAuditFlags() ${message ? "refuses" : "takes"} ${args.join(" ") || "nothing"}`, () => {
    const check = () => checkAuditFlags(parseFlags(apiServerFlags, args).values);
    if (message) assert.throws(check, { message });
    else check();
  });
}
