# A process beside the program, for one look at its files. It says what a last word says: no exit code, then files.
my ( $act, $path, $room ) = @ARGV;
binmode STDOUT;
say_bytes( \*STDOUT, "0 0 0 0 0\n" );
if ( $act eq 'list' ) {
    my @found = files_under( $workspace, 0 );
    for my $found ( splice @found, 0, 4096 ) {
        say_bytes( \*STDOUT, item( $found->[0], substr $found->[0], 1 + length $workspace ) );
    }
}
else {
    my $name = join '/', parts_of($path);
    my $frame = contents( "$workspace/$name", $name, $room );
    my $why   = "$!";
    say_bytes( \*STDOUT, $frame // sprintf( "fault %d\n", length $why ) . $why );
}
say_bytes( \*STDOUT, "left 0\n" );
