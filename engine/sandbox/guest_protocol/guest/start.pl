# Starts the image's interpreter before this process loads anything: both come up side by side. The interpreter says
# on descriptor 3 that it waits. Code comes on its standard input or, in a sandbox that stays, on descriptor 4. Where
# lines are marked it is told on descriptors 4 and 5 which of them ran: see lines.pl.
# What this process does itself follows in the text that is evaluated at the end.
#
# This process begins as root with the right to change users, and gives that up at once: it goes on as user 1001 (1000
# to files), without any capability, and everything else in the sandbox is user 1000. So nothing else can open its
# streams, look into it, stop it or end it; gVisor decides that by the user alone. Its input and output are its own:
# what the program writes comes here by pipes.
my ( $child, $from_child, $to_child, @flows );
my ( $rehearsing, $sleeps ) = delete @ENV{qw(PRATIQUE_REHEARSAL PRATIQUE_SLEEPS)};
if ($rehearsing) { eval $rehearsal or exit 1 }
my ( $set_users, $set_groups, $new_memory, $copy_to, $pread, $clock_gettime ) =    # setresuid, setresgid, memfd_create, dup3
  $is_x86 ? ( 117, 119, 319, 292, 17, 228 ) : ( 147, 149, 279, 24, 67, 113 );
my ( $marks, $notes );

$^F = $stays ? 4 : 3;    # what has a higher number does not go along
pipe( $from_child, my $word ) or exit 1;
pipe( my $code, $to_child ) or exit 1;
$) = '1000 1000';
syscall( $set_groups, 1000, 1000, 1000 ) and exit 1;
syscall( $set_users,  1001, 1000, 1001 ) and exit 1;
exit 1 if $< != 1001 || $> != 1000;
( $marks, $notes ) = map { memory($_) } 65536, 1048576 if $marked;
pipe( my $from_out, my $out ) or exit 1;
pipe( my $from_err, my $err ) or exit 1;

# Returns a file in memory whose size cannot change: what is written behind its end is lost.
sub memory {
    my ($size) = @_;
    my $number = syscall $new_memory, my $name = 'lines', 2;
    open my $file, '+<&=', $number or exit 1;
    truncate $file, $size or exit 1;
    fcntl $file, 1033, 6 or exit 1;
    return $file;
}

sub be_program {
    syscall( $set_users, 1000, 1000, 1000 ) and exit 1;
    setpgrp 0, 0;
    delete $ENV{HOSTNAME};
    close $from_child;
    open my $third, '>&', $word or exit 1;
    close $word;
    open my $fourth, '<&', $code or exit 1;
    if ($stays) { open STDIN, '<', '/dev/null' or exit 1 }
    else        { open STDIN, '<&', $code or exit 1; close $fourth }
    open STDOUT, '>&', $out or exit 1;
    open STDERR, '>&', $err or exit 1;
    exit 1 if fileno $third != 3 || fileno STDIN != 0 || $stays && fileno $fourth != 4;
    if ($marked) { syscall( $copy_to, fileno $marks, 4, 0 ); syscall( $copy_to, fileno $notes, 5, 0 ) }
    chdir '/workspace';
    exec { $ARGV[0] } @ARGV or exit 127;
}

sub start_program {
    $child = fork;
    defined $child or exit 1;
    be_program() if !$child;
    close $_ for $word, $code, $out, $err;
    @flows = ( [ $from_out, \*STDOUT, '' ], [ $from_err, \*STDERR, '' ] );
    fcntl $_, F_SETFL, fcntl( $_, F_GETFL, 0 ) | O_NONBLOCK for $from_out, $from_err;
}

start_program() if !$late;
