/** Upstream: pkg/kubelet/kuberuntime/kuberuntime_container.go, pkg/kubelet/container/runtime.go. */
import { resolve } from "node:path";
import type { ContainerStatus } from "../cri/container-messages.ts";
import { parseLogLine } from "../files/log-line.ts";
import { openRegularFile } from "../files/open-regular-file.ts";
import { runFileTask } from "../files/run-file-task.ts";
import { messagePathAnnotation, messagePolicyAnnotation } from "../state/container-labels.ts";

const maxMessageBytes = 4096;
const maxLogMessageBytes = 2048;
const maxLogLines = 80;

/** Limit of the bytes that are read from the end of a log: enough for the last lines. */
const logTailBytes = 256 << 10;

/** The termination message of a container: from its message file, or the end of its log if its policy says so. */
export async function readTerminationMessage(status: ContainerStatus): Promise<string> {
  const { annotations, exitCode, reason, mounts, logPath } = status;
  const path = annotations[messagePathAnnotation];
  const mayUseLog =
    annotations[messagePolicyAnnotation] === "FallbackToLogsOnError" &&
    exitCode !== 0 &&
    reason !== "ContainerCannotRun";
  const mount = path && mounts.find(({ containerPath }) => containerPath === resolve("/", path));
  if (mount) {
    try {
      const text = await readMessage(mount.hostPath);
      if (text !== "" || !mayUseLog) return text;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") {
        return `Error on reading termination log ${mount.hostPath}: ${(error as Error).message}`;
      }
    }
  }
  return mayUseLog ? endOfLog(logPath) : "";
}

async function endOfLog(path: string): Promise<string> {
  try {
    const text = await readEnd(path, logTailBytes, { followsLinks: true });
    const lines = text.split(/(?<=\n)/).filter((line) => line !== "\n");
    const parsed = lines.slice(-maxLogLines).map((line) => parseLogLine(Buffer.from(line)));
    const bytes = Buffer.concat(parsed.flatMap((line) => line?.content ?? []));
    return bytes.subarray(Math.max(0, bytes.length - maxLogMessageBytes)).toString();
  } catch (error) {
    return `Error on reading termination message from logs: ${(error as Error).message}`;
  }
}

/** A volume may be mounted at the path of the message: the file is then the Pod's own. */
function readMessage(path: string): Promise<string> {
  if (ownFile.test(path)) return readEnd(path, maxMessageBytes, { followsLinks: false });
  const request = { root: path, path: "", maxBytes: maxMessageBytes, isEnd: true };
  return runFileTask("readFile", request, path);
}

/** The file that the kubelet has created: see start-container.ts. */
const ownFile = /\/pods\/[^/]+\/containers\/[^/]+\/[0-9a-f]{8}$/;

async function readEnd(
  path: string,
  maxBytes: number,
  options: { readonly followsLinks: boolean },
): Promise<string> {
  await using file = await openRegularFile(path, options);
  const { size } = await file.stat();
  const length = Math.min(size, maxBytes);
  const { buffer, bytesRead } = await file.read({
    buffer: Buffer.alloc(length),
    position: size - length,
  });
  return buffer.subarray(0, bytesRead).toString();
}
