import { mountCause, volumeText } from "../../facts/mount-failure.ts";

export const volumeSourceMissing = mountCause({
  name: "volume-source-missing",
  texts: /(configmap|secret)s? "([^"]+)" not found/i,
  explain([, kind = "", name = ""], failure) {
    const isMap = kind.toLowerCase() === "configmap";
    return {
      sentence: `its volume${volumeText(failure)} is made of the ${isMap ? "ConfigMap" : "Secret"} "${name}", which does not exist`,
      fix: [
        isMap
          ? `kubectl create configmap ${name} --from-file=FILE`
          : `kubectl create secret generic ${name} --from-file=FILE`,
        "# or mark the volume's source as optional",
      ],
    };
  },
});
