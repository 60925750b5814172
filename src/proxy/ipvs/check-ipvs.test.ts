import assert from "node:assert/strict";
import { test } from "node:test";
import { ProgramError, type RunProgram } from "#/std/process/run-program.ts";
import { checkIpvs } from "./check-ipvs.ts";

const heading = `IP Virtual Server version 1.2.1 (size=4096)
Prot LocalAddress:Port Scheduler Flags
  -> RemoteAddress:Port           Forward Weight ActiveConn InActConn
`;
const missing = (program: string): ProgramError => new ProgramError(program, undefined, "");

interface Case {
  readonly name: string;
  /** The answer to a command, where it is not that of a good machine. */
  readonly answers: Readonly<Record<string, string | ProgramError>>;
  /** The error; undefined if ipvs can be used. */
  readonly says?: string;
  readonly ran?: readonly string[];
}

const probing = ["ipvsadm -A -t 198.51.100.0:20000 -s sh", "ipvsadm -D -t 198.51.100.0:20000"];
const cases: readonly Case[] = [
  { name: "makes a virtual server, and removes it", answers: {}, ran: probing },
  {
    name: "needs no more than a virtual server with the scheduler",
    answers: { "ipvsadm -L -n": `${heading}TCP  10.96.0.1:443 sh\n` },
    ran: [],
  },
  {
    name: "removes the virtual server of a check that was killed",
    answers: { [probing[0] ?? ""]: new ProgramError("ipvsadm", 255, "Service already exists\n") },
    ran: probing,
  },
  {
    name: "says that the kernel has no ipvs",
    answers: {
      "ipvsadm -L -n": new ProgramError("ipvsadm", 255, "Can't initialize ipvs: Protocol not…"),
    },
    says: "ipvs not supported",
  },
  {
    name: "says that ipvsadm is missing",
    answers: { "ipvsadm -L -n": missing("ipvsadm") },
    says: "the program ipvsadm is not installed",
  },
  {
    name: "says that ipset is missing",
    answers: { "ipset --version": missing("ipset") },
    says: 'error getting ipset version, error: exec: "ipset": executable file not found in $PATH',
  },
  {
    name: "says first that ipset is missing",
    answers: { "ipset --version": missing("ipset"), "ipvsadm -L -n": missing("ipvsadm") },
    says: 'error getting ipset version, error: exec: "ipset": executable file not found in $PATH',
  },
  {
    name: "refuses an old ipset",
    answers: { "ipset --version": "ipset v5.2, protocol version: 5" },
    says: "ipset version: 5.2 is less than min required version: 6.0",
  },
  {
    name: "says that the kernel lacks the scheduler",
    answers: { [probing[0] ?? ""]: new ProgramError("ipvsadm", 255, "Scheduler not found\n") },
    says: 'the kernel has no scheduler "sh": Scheduler not found',
  },
];

for (const { name, answers, says, ran } of cases) {
  test(`checkIpvs() ${name}`, async () => {
    const changes: string[] = [];
    const run: RunProgram = async (program, args) => {
      const command = [program, ...args].join(" ");
      if (/ -[AD] /.test(command)) changes.push(command);
      const answer = answers[command];
      if (answer instanceof ProgramError) throw answer;
      return answer ?? (program === "ipset" ? "ipset v7.17, protocol version: 7" : heading);
    };
    if (says === undefined) await checkIpvs(run, "sh");
    else await assert.rejects(checkIpvs(run, "sh"), { message: says });
    if (ran) assert.deepEqual(changes, ran);
  });
}
