/** True if the kubelet has reported Ready after a time (ms): "STATUS HEARTBEAT". */
export function isReadySince(line: string, since: number): boolean {
  const [status, heartbeat = ""] = line.split(" ");
  // Times in the API are in whole seconds.
  return status === "True" && Date.parse(heartbeat) + 1000 > since;
}
