import { mountCause, volumeText } from "../../facts/mount-failure.ts";

export const hostPathType = mountCause({
  name: "host-path",
  texts: /hostPath type check failed[:,] (\S+) is not an? ([\w -]+?)(?:,|$)/,
  explain: ([, path, type], failure, { spec }) => ({
    sentence: `its volume${volumeText(failure)} needs the ${type} ${path} on node ${spec.nodeName} (hostPath), which is not there`,
    fix: [`# make it on the node, or use the type DirectoryOrCreate or FileOrCreate`],
  }),
});
