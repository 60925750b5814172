/** Requests suggestions from kubectl and passes them to PowerShell, 5.1 or later. */
export const powershellScript: string = `# powershell completion for kubectl                        -*- shell-script -*-

[scriptblock]\${__kubectlCompleter} = {
    param($WordToComplete, $CommandAst, $CursorPosition)

    # The words up to the cursor, as they are typed.
    $Typed = @()
    foreach ($Element in $CommandAst.CommandElements) {
        if ($Element.Extent.StartOffset -ge $CursorPosition) { break }
        $Length = [Math]::Min($Element.Extent.EndOffset, $CursorPosition) - $Element.Extent.StartOffset
        $Typed += $Element.Extent.Text.Substring(0, $Length)
    }
    if ($Typed.Count -eq 0) { return }
    $Program = $Typed[0]
    $Arguments = @($Typed | Select-Object -Skip 1)
    if ($WordToComplete -eq '') { $Arguments += '' }

    # Older versions drop empty arguments unless they are quoted.
    $Passed = $Arguments
    if ($PSVersionTable.PSVersion -lt [version]'7.3.0') {
        $Passed = @($Arguments | ForEach-Object { if ($_ -eq '') { '""' } else { $_ } })
    }
    $Answer = @(& $Program __complete @Passed 2>$null)
    if ($Answer.Count -eq 0) { return }
    $Directive = 0
    if (-not [int]::TryParse(([string]$Answer[-1]).TrimStart(':'), [ref]$Directive)) { return }
    if ($Directive -band 1) { return }
    $Found = @($Answer | Select-Object -SkipLast 1)

    # Files with some extensions, or folders: PowerShell completes files itself.
    if ($Directive -band (8 -bor 16)) { return }

    # Of --flag=value the whole word is replaced.
    $Prefix = ''
    if ($WordToComplete -match '^(-[^=]*=)') { $Prefix = $Matches[1] }
    $Space = ' '
    if ($Directive -band 2) { $Space = '' }
    $Results = @(foreach ($Line in $Found) {
        $Word, $Text = $Line -split "\`t", 2
        if (-not $Text) { $Text = ' ' }
        [pscustomobject]@{ Word = $Prefix + $Word; Text = $Text }
    })
    $Results = @($Results | Where-Object { $_.Word -like "$WordToComplete*" })
    if (-not ($Directive -band 32)) { $Results = @($Results | Sort-Object -Property Word) }
    if ($Results.Count -eq 0) {
        # An empty answer keeps PowerShell from completing files.
        if ($Directive -band 4) { '' }
        return
    }

    $Mode = (Get-PSReadLineKeyHandler -ErrorAction SilentlyContinue |
        Where-Object { $_.Key -eq 'Tab' } | Select-Object -First 1).Function
    foreach ($Result in $Results) {
        $Listed = $Result.Word
        # A menu has a line for what is chosen; a list shows it beside each word.
        if ($Mode -eq 'Complete' -and $Results.Count -gt 1 -and $Result.Text -ne ' ') {
            $Listed = "$($Result.Word)  ($($Result.Text))"
        }
        $Inserted = $Result.Word
        if ($Inserted -match '[\\s\\$"''\`{}();,|&<>@#]') { $Inserted = "'" + ($Inserted -replace "'", "''") + "'" }
        if ($Results.Count -eq 1 -or $Mode -eq 'MenuComplete') { $Inserted += $Space }
        [System.Management.Automation.CompletionResult]::new($Inserted, $Listed, 'ParameterValue', $Result.Text)
    }
}

Register-ArgumentCompleter -CommandName 'kubectl' -ScriptBlock \${__kubectlCompleter}
`;
