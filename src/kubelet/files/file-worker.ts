/**
 * The process of file-workers.ts: it reports its start, then reads a task from its input, does it and writes a report,
 * until its input ends.
 * All calls are synchronous: a mount that hangs holds up this process and no other.
 */
import { readSync, writeSync } from "node:fs";
import { type FileTaskName, fileTasks, type TaskReport, type TaskRequest } from "./file-tasks.ts";

const input = 0;
const output = 1;
const newline = 0x0a;

function send(report: TaskReport): void {
  let rest = Buffer.from(`${JSON.stringify(report)}\n`);
  while (rest.length > 0) rest = rest.subarray(writeSync(output, rest));
}

function work({ task, input: given }: TaskRequest): TaskReport {
  try {
    const run = fileTasks[task as FileTaskName] as (given: unknown, report: () => void) => unknown;
    return { done: true, result: run(given, () => send({})) };
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    return { done: true, error: { message, ...(code !== undefined && { code }) } };
  }
}

send({});
let received: Buffer = Buffer.alloc(0);
const chunk = Buffer.alloc(64 << 10);
for (let length = -1; length !== 0; ) {
  length = readSync(input, chunk);
  received = Buffer.concat([received, chunk.subarray(0, length)]);
  for (let end = received.indexOf(newline); end !== -1; end = received.indexOf(newline)) {
    const line = received.subarray(0, end).toString();
    received = received.subarray(end + 1);
    send(work(JSON.parse(line) as TaskRequest));
  }
}
