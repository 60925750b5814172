/** Upstream: pkg/kubelet/nodeshutdown/systemd/inhibit_linux.go. */

/** True if a line of the monitor announces a shutdown, false if it cancels one; undefined for other lines. */
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
