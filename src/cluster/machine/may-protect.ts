const sysResource = 24n;

/** Whether a process with this /proc/self/status has CAP_SYS_RESOURCE. */
export function mayProtect(status: string): boolean {
  const effective = BigInt(`0x${/^CapEff:\s([0-9a-f]+)$/m.exec(status)?.[1] ?? "0"}`);
  return ((effective >> sysResource) & 1n) === 1n;
}
