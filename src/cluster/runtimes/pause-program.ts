/**
 * The first process of every pod: it holds the pod's namespaces and waits. As process 1 it must reap what is orphaned in
 * a shared process namespace, and must end on request.
 *
 *   rt_sigaction(SIGCHLD, ignore)       the kernel then reaps children by itself
 *   rt_sigprocmask(SIG_BLOCK, set)      set = {SIGINT, SIGTERM}: process 1 gets no signal without a handler
 *   while (rt_sigtimedwait(set) < 0)    an interrupted wait is repeated
 *   exit_group(0)
 */
interface Machine {
  /** e_machine of the ELF header. */
  readonly elfMachine: number;
  /** Machine code, followed by the struct sigaction and the signal set that it refers to. */
  readonly code: string;
}

const data = "0100000000000000 0000000000000000 0000000000000000 0000000000000000 0240000000000000";

const machines: Readonly<Record<string, Machine>> = {
  x64: {
    elfMachine: 0x3e,
    code: `b80d000000 bf11000000 488d3547000000 31d2 41ba08000000 0f05
           b80e000000 31ff 488d354f000000 31d2 41ba08000000 0f05
           b880000000 488d3d39000000 31f6 31d2 41ba08000000 0f05 85c0 78e4
           b8e7000000 31ff 0f05`,
  },
  arm64: {
    elfMachine: 0xb7,
    code: `c81080d2 200280d2 81020010 020080d2 030180d2 010000d4
           e81080d2 000080d2 c1020010 020080d2 030180d2 010000d4
           281180d2 20020010 010080d2 020080d2 030180d2 010000d4 40ffff37
           c80b80d2 000080d2 010000d4`,
  },
};

const loadAddress = 0x400000;
const elfHeaderBytes = 64;
const programHeaderBytes = 56;

/** The program as a static ELF file for an architecture in Node's names: x64, arm64. */
export function pauseProgram(architecture: string): Buffer {
  const machine = machines[architecture];
  if (!machine) throw new Error(`k8ts has no pause program for the architecture ${architecture}`);
  const body = Buffer.from((machine.code + data).replace(/\s/g, ""), "hex");
  const header = Buffer.alloc(elfHeaderBytes + programHeaderBytes);
  const size = header.length + body.length;
  header.write("\x7fELF\x02\x01\x01", "latin1"); // 64 bits, little endian.
  header.writeUInt16LE(2, 16); // Executable.
  header.writeUInt16LE(machine.elfMachine, 18);
  header.writeUInt32LE(1, 20);
  header.writeBigUInt64LE(BigInt(loadAddress + header.length), 24); // Entry point.
  header.writeBigUInt64LE(BigInt(elfHeaderBytes), 32); // Program header.
  header.writeUInt16LE(elfHeaderBytes, 52);
  header.writeUInt16LE(programHeaderBytes, 54);
  header.writeUInt16LE(1, 56);
  header.writeUInt32LE(1, 64); // One segment to load,
  header.writeUInt32LE(5, 68); // readable and executable,
  header.writeBigUInt64LE(BigInt(loadAddress), 80);
  header.writeBigUInt64LE(BigInt(loadAddress), 88);
  header.writeBigUInt64LE(BigInt(size), 96);
  header.writeBigUInt64LE(BigInt(size), 104);
  header.writeBigUInt64LE(0x1000n, 112);
  return Buffer.concat([header, body]);
}
