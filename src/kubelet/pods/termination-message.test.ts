import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { ContainerStatus } from "../cri/container-messages.ts";
import { messagePolicyAnnotation } from "../state/container-labels.ts";
import { readTerminationMessage } from "./termination-message.ts";

const time = "2026-01-02T03:04:05.000000006Z";
const docker = (log: string): string => `${JSON.stringify({ log, stream: "stdout", time })}\n`;

for (const [name, log, expected] of [
  ["CRI's format", `${time} stdout F one\n${time} stderr P tw\n${time} stderr F o\n`, "one\ntwo\n"],
  ["Docker's format", docker("one\n") + docker("two"), "one\ntwo"],
  ["lines that are none", `nonsense\n${time} stdout F last\n`, "last\n"],
  ["80 lines and more", Array.from({ length: 90 }, (_, at) => docker(`${at}\n`)).join(""), "10\n"],
] as const) {
  test(`readTerminationMessage() reads the end of a log: ${name}`, async () => {
    const folder = await mkdtemp(join(tmpdir(), "message-"));
    const logPath = join(folder, "0.log");
    await writeFile(logPath, log);
    const annotations = { [messagePolicyAnnotation]: "FallbackToLogsOnError" };
    const status = { annotations, exitCode: 1, reason: "Error", mounts: [], logPath };
    const message = await readTerminationMessage(status as unknown as ContainerStatus);
    if (log.length > 1000) assert.ok(message.startsWith(expected));
    else assert.equal(message, expected);
    await rm(folder, { recursive: true });
  });
}
