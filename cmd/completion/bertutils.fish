# SPDX-License-Identifier: MIT
# Completion for fish: options from each tool's own --help.
for tool in TOOLS
	command -q $tool; or continue
	for line in ($tool --help | string match -r '^ +(?:-., )?--[a-z0-9_-]+.*')
		set -l name (string match -r -- '--([a-z0-9_-]+)' $line)[2]
		set -l letter (string match -r -- '^ +-(.), ' $line)[2]
		set -l text (string match -r -- '  +(\S.*)$' (string trim $line))[2]
		if test -n "$letter"
			complete -c $tool -s $letter -l $name -d "$text"
		else
			complete -c $tool -l $name -d "$text"
		end
	end
end
