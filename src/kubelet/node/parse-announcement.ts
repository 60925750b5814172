/** Upstream: pkg/kubelet/nodeshutdown/systemd/inhibit_linux.go. */

/** Whether a line of the monitor says that the machine goes down, or stays; undefined if it says something else. */
export function parseAnnouncement(line: string): boolean | undefined {
  try {
    const { member, payload } = JSON.parse(line) as {
      member?: string;
      payload?: { data?: unknown[] };
    };
    const [value] = payload?.data ?? [];
    return member === "PrepareForShutdown" && typeof value === "boolean" ? value : undefined;
  } catch {
    return undefined;
  }
}
