import { Argument, Command } from "commander";
import { writeLine } from "../terminal/terminal.ts";

const bash = `# bash: source <(signalbox completion bash)
_signalbox() {
  local IFS=$'\\n'
  COMPREPLY=($("\${COMP_WORDS[0]}" __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
}
complete -o default -F _signalbox signalbox ./signalbox`;

const zsh = `#compdef signalbox
# zsh: source <(signalbox completion zsh)
_signalbox() {
  local -a lines described
  lines=("\${(@f)$("\${words[1]}" __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  for line in $lines; do described+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}"); done
  _describe signalbox described
}
# A new zsh without settings has not loaded its completion yet.
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
compdef _signalbox signalbox ./signalbox`;

const fish = `# fish: signalbox completion fish | source
function __signalbox_complete
  set -l words (commandline -opc) (commandline -ct)
  $words[1] __complete $words[2..-1] 2>/dev/null
end
complete -c signalbox -f -a '(__signalbox_complete)'`;

const scripts: Record<string, string> = { bash, zsh, fish };

export const completionCommand = (): Command =>
  new Command("completion")
    .description("Print the script that completes commands, options and ids in your shell")
    .addArgument(new Argument("<shell>").choices(Object.keys(scripts)))
    .action((shell: string) => writeLine(scripts[shell] ?? ""));
