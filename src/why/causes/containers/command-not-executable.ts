import { startCause } from "../../facts/start-failure.ts";

export const commandNotExecutable = startCause({
  name: "command-not-executable",
  texts: /exec: "([^"]*)": (permission denied|is a directory)|exec format error/i,
  explain: ({ container, text }, match) => {
    const why = /exec format/i.test(text)
      ? "is for another processor architecture (exec format error)"
      : /directory/.test(match[2] ?? "")
        ? "is a directory"
        : "may not be executed (permission denied)";
    return {
      sentence: `${container.label} cannot start: its command${match[1] ? ` "${match[1]}"` : ""} ${why}`,
      fix: [
        "# chmod +x in the image, or start it by its interpreter, such as command: [sh, /script]",
      ],
    };
  },
});
