# SPDX-License-Identifier: MIT
# Completion for bash: options and their values from each tool's own --help.
_bertutils() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local help values
	# --name=value comes as three words
	[[ $prev == = ]] && prev=${COMP_WORDS[COMP_CWORD - 2]}
	[[ $cur == = ]] && prev=${COMP_WORDS[COMP_CWORD - 1]} && cur=
	help=$("$1" --help 2>/dev/null) || return
	values=$(sed -nE "s/^ +(-., )?$prev[ =]([A-Z]*\|)?([a-z0-9_-]+(\|[a-z0-9_-]+)*)( .*)?$/\3/p" \
		<<<"$help" | tr '|' ' ')
	if [[ $prev == --* && -n $values ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$values" -- "$cur")
	elif [[ $cur == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W \
			"$(grep -oE -- '(^| )-(-[a-z][a-z0-9_-]*|[a-zA-Z])' <<<"$help" | sort -u)" -- "$cur")
	else
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
	fi
}
complete -o filenames -F _bertutils TOOLS
