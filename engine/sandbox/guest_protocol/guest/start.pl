# Starts the image's interpreter before this process loads anything: both come up side by side. The interpreter says
# on descriptor 3 that it waits. Code comes on its standard input or, in a sandbox that stays, on descriptor 4.
# What this process does itself follows in the text that is evaluated at the end.
my ( $child, $from_child, $to_child );

$^F = $stays ? 4 : 3;    # what has a higher number does not go along
pipe( $from_child, my $word ) or exit 1;
pipe( my $code, $to_child ) or exit 1;
$child = fork;
defined $child or exit 1;
if ( !$child ) {
    setpgrp 0, 0;
    delete $ENV{HOSTNAME};
    close $from_child;
    open my $third, '>&', $word or exit 1;
    close $word;
    open my $fourth, '<&', $code or exit 1;
    if ($stays) { open STDIN, '<', '/dev/null' or exit 1 }
    else        { open STDIN, '<&', $code or exit 1; close $fourth }
    exit 1 if fileno $third != 3 || fileno STDIN != 0 || $stays && fileno $fourth != 4;
    chdir '/workspace';
    exec { $ARGV[0] } @ARGV or exit 127;
}
close $word;
close $code;
